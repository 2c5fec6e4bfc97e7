import com.ibm.mq.jakarta.jms.MQConnectionFactory;
import com.ibm.msg.client.jakarta.wmq.WMQConstants;
import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.component.jms.JmsComponent;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.spring.spi.SpringTransactionPolicy;
import org.messaginghub.pooled.jms.JmsPoolConnectionFactory;
import org.springframework.jms.connection.CachingConnectionFactory;
import org.springframework.jms.connection.JmsTransactionManager;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.jms.listener.AbstractMessageListenerContainer;
import org.springframework.jms.listener.DefaultMessageListenerContainer;
import org.springframework.jms.listener.SimpleMessageListenerContainer;

/**
 * Frameworks over IBM's client for Jakarta Messaging: Spring, Camel and Pooled JMS.
 *
 * <p>Prints `ok NAME` for what went well, `failed NAME: WHY` for what did not. AUTHORS.IN has
 * BOTHRESH(2) and BOQNAME(AUTHORS.BO). Argument: seconds of the load.
 */
public class Frameworks {
  static final String IN = "AUTHORS.IN", BACKOUT = "AUTHORS.BO", OUT = "AUTHORS.OUT", DEAD = "AUTHORS.DEAD";

  interface Check {
    void run() throws Exception;
  }

  static ConnectionFactory factory() throws Exception {
    MQConnectionFactory factory = new MQConnectionFactory();
    factory.setTransportType(WMQConstants.WMQ_CM_CLIENT);
    factory.setConnectionNameList(System.getenv("MQ_CONN"));
    factory.setChannel("DEV.APP.SVRCONN");
    factory.setQueueManager("QM1");
    return factory;
  }

  static JmsTemplate template() throws Exception {
    JmsTemplate template = new JmsTemplate(factory());
    template.setReceiveTimeout(20_000);
    return template;
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

  /** A listener container whose listener fails on poison, which then goes to the backout queue. */
  static void container(AbstractMessageListenerContainer container) throws Exception {
    List<String> seen = new ArrayList<>();
    container.setConnectionFactory(factory());
    container.setDestinationName(IN);
    container.setSessionTransacted(true);
    container.setErrorHandler(error -> { });
    container.setMessageListener((MessageListener) message -> {
      try {
        String text = ((TextMessage) message).getText();
        synchronized (seen) {
          seen.add(text);
          seen.notifyAll();
        }
        if (text.equals("poison")) {
          throw new IllegalStateException("poison");
        }
      } catch (jakarta.jms.JMSException error) {
        throw new RuntimeException(error);
      }
    });
    JmsTemplate template = template();
    container.afterPropertiesSet();
    container.start();
    try {
      template.convertAndSend(IN, "poison");
      expect("poison", template.receiveAndConvert(BACKOUT));
      template.convertAndSend(IN, "good");
      synchronized (seen) {
        for (int i = 0; i < 200 && !seen.contains("good"); i++) {
          seen.wait(100);
        }
        expect(List.of("poison", "poison", "good"), seen);
      }
    } finally {
      container.shutdown();
    }
  }

  static void camel() throws Exception {
    ConnectionFactory factory = new CachingConnectionFactory(factory());
    JmsTransactionManager manager = new JmsTransactionManager(factory);
    SpringTransactionPolicy policy = new SpringTransactionPolicy(manager);
    AtomicInteger tries = new AtomicInteger();
    try (DefaultCamelContext camel = new DefaultCamelContext()) {
      JmsComponent jms = JmsComponent.jmsComponentTransacted(factory, manager);
      camel.addComponent("jms", jms);
      camel.getRegistry().bind("required", policy);
      camel.addRoutes(new RouteBuilder() {
        @Override
        public void configure() {
          from("jms:queue:" + IN).transacted("required").process(exchange -> {
            exchange.getMessage().setBody(exchange.getMessage().getBody(String.class) + "!");
          }).to("jms:queue:" + OUT).process(exchange -> {
            if (tries.incrementAndGet() == 1) {
              throw new IllegalStateException("the send is to be undone");
            }
          });
        }
      });
      camel.start();
      JmsTemplate template = template();
      template.convertAndSend(IN, "a");
      expect("a!", template.receiveAndConvert(OUT));
      template.setReceiveTimeout(500);
      expect("null", String.valueOf(template.receiveAndConvert(OUT)));
      expect(2, tries.get());
    }
  }

  static void deadLetters() throws Exception {
    try (DefaultCamelContext camel = new DefaultCamelContext()) {
      camel.addComponent("jms", JmsComponent.jmsComponentAutoAcknowledge(new CachingConnectionFactory(factory())));
      camel.addRoutes(new RouteBuilder() {
        @Override
        public void configure() {
          errorHandler(deadLetterChannel("jms:queue:" + DEAD).maximumRedeliveries(2).redeliveryDelay(10));
          from("jms:queue:" + IN).process(exchange -> {
            throw new IllegalStateException("never");
          });
        }
      });
      camel.start();
      JmsTemplate template = template();
      template.convertAndSend(IN, "b");
      expect("b", template.receiveAndConvert(DEAD));
    }
  }

  static void pool(int seconds) throws Exception {
    JmsPoolConnectionFactory pool = new JmsPoolConnectionFactory();
    pool.setConnectionFactory(factory());
    pool.setMaxConnections(4);
    ExecutorService workers = Executors.newFixedThreadPool(8);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    List<Future<Integer>> counts = new ArrayList<>();
    for (int worker = 0; worker < 8; worker++) {
      String id = "worker " + worker;
      counts.add(workers.submit(() -> {
        int count = 0;
        for (; System.nanoTime() < end; count++) {
          try (Connection connection = pool.createConnection()) {
            connection.start();
            Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
            var queue = session.createQueue("queue:///" + OUT);
            Message message = session.createTextMessage(id + " " + count);
            message.setStringProperty("worker", id);
            session.createProducer(queue).send(message);
            session.commit();
            try (var consumer = session.createConsumer(queue, "worker = '" + id + "'")) {
              expect(id + " " + count, ((TextMessage) consumer.receive(20_000)).getText());
            }
            session.commit();
          }
        }
        return count;
      }));
    }
    int total = 0;
    for (Future<Integer> count : counts) {
      total += count.get();
    }
    workers.shutdown();
    pool.stop();
    expect(true, total >= 8);
  }

  public static void main(String[] arguments) throws Exception {
    check("Spring: DefaultMessageListenerContainer", () -> container(new DefaultMessageListenerContainer()));
    check("Spring: SimpleMessageListenerContainer", () -> container(new SimpleMessageListenerContainer()));
    check("Camel: a transacted route", Frameworks::camel);
    check("Camel: a dead letter channel", Frameworks::deadLetters);
    check("Pooled JMS: a load on eight threads", () -> pool(Integer.parseInt(arguments[0])));
    System.exit(0);
  }
}
