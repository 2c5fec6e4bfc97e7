import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.messaginghub.pooled.jms.JmsPoolConnectionFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jms.annotation.EnableJms;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.messaging.handler.annotation.SendTo;

/**
 * IBM's starter for Spring Boot, configured by properties alone, with its pool of connections.
 *
 * <p>Prints `ok NAME` for what went well, `failed NAME: WHY` for what did not. AUTHORS.IN has
 * BOTHRESH(2) and BOQNAME(AUTHORS.BO). Argument: seconds of the load.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableJms
public class BootStarter {
  static final List<String> SEEN = new ArrayList<>();

  interface Check {
    void run() throws Exception;
  }

  @JmsListener(destination = "AUTHORS.IN")
  @SendTo("AUTHORS.OUT")
  public String answer(String text) {
    SEEN.add(text);
    if (text.equals("poison")) {
      throw new IllegalStateException("poison");
    }
    return text + "!";
  }

  static void expect(Object expected, Object actual) {
    if (!expected.equals(actual)) {
      throw new AssertionError("expected " + expected + ", got " + actual);
    }
  }

  static void check(String name, Check check) {
    try {
      check.run();
      System.out.println("ok " + name);
    } catch (Throwable error) {
      System.out.println("failed " + name + ": " + error);
    }
  }

  /** The listener's session is transacted: poison goes to the backout queue, and so no answer. */
  static void listener(JmsTemplate template) {
    template.convertAndSend("AUTHORS.IN", "poison");
    expect("poison", template.receiveAndConvert("AUTHORS.BO"));
    template.convertAndSend("AUTHORS.IN", "good");
    expect("good!", template.receiveAndConvert("AUTHORS.OUT"));
    expect(List.of("poison", "poison", "good"), SEEN);
  }

  static void load(ConnectionFactory pool, int seconds) throws Exception {
    expect(JmsPoolConnectionFactory.class, pool.getClass());
    ExecutorService workers = Executors.newFixedThreadPool(8);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    List<Future<Integer>> counts = new ArrayList<>();
    for (int worker = 0; worker < 8; worker++) {
      String id = "worker " + worker;
      JmsTemplate template = new JmsTemplate(pool);
      template.setSessionTransacted(true);
      template.setReceiveTimeout(20_000);
      counts.add(workers.submit(() -> {
        int count = 0;
        for (; System.nanoTime() < end; count++) {
          String text = id + " " + count;
          template.convertAndSend("AUTHORS.OUT", text, message -> named(message, id));
          Message message = template.receiveSelected("AUTHORS.OUT", "worker = '" + id + "'");
          expect(text, ((TextMessage) message).getText());
        }
        return count;
      }));
    }
    int total = 0;
    for (Future<Integer> count : counts) {
      total += count.get();
    }
    workers.shutdown();
    expect(true, total >= 8);
  }

  static Message named(Message message, String worker) throws JMSException {
    message.setStringProperty("worker", worker);
    return message;
  }

  public static void main(String[] arguments) {
    SpringApplication application = new SpringApplication(BootStarter.class);
    application.setDefaultProperties(Map.of(
        "ibm.mq.queueManager", "QM1", "ibm.mq.channel", "DEV.APP.SVRCONN",
        "ibm.mq.connName", System.getenv("MQ_CONN"), "ibm.mq.pool.enabled", "true",
        "ibm.mq.pool.maxConnections", "10", "spring.jms.listener.receive-timeout", "1s",
        "logging.level.root", "OFF", "spring.main.banner-mode", "off"));
    try (ConfigurableApplicationContext context = application.run()) {
      JmsTemplate template = context.getBean(JmsTemplate.class);
      template.setReceiveTimeout(20_000);
      check("Spring Boot: a listener that answers", () -> listener(template));
      int seconds = Integer.parseInt(arguments[0]);
      ConnectionFactory pool = context.getBean(ConnectionFactory.class);
      check("Spring Boot: a load on the starter's pool", () -> load(pool, seconds));
    }
    System.exit(0);
  }
}
