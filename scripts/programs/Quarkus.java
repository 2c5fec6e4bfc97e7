import com.ibm.mq.jakarta.jms.MQXAConnectionFactory;
import com.ibm.msg.client.jakarta.wmq.WMQConstants;
import io.quarkiverse.messaginghub.pooled.jms.PooledJmsWrapper;
import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.transaction.Transactional;

/**
 * A Quarkus application over a pool of IBM's client, whose work is part of transactions of JTA.
 *
 * <p>Prints `ok NAME` for what went well, `failed NAME: WHY` for what did not. AUTHORS.IN has
 * BOTHRESH(2). Argument: how many messages are passed on.
 */
@QuarkusMain
public class Quarkus implements QuarkusApplication {
  static final String IN = "queue:///AUTHORS.IN", OUT = "queue:///AUTHORS.OUT";

  interface Check {
    void run() throws Exception;
  }

  @ApplicationScoped
  public static class Pool {
    @Produces
    @ApplicationScoped
    public ConnectionFactory pool(PooledJmsWrapper wrapper) throws Exception {
      MQXAConnectionFactory factory = new MQXAConnectionFactory();
      factory.setTransportType(WMQConstants.WMQ_CM_CLIENT);
      factory.setConnectionNameList(System.getenv("MQ_CONN"));
      factory.setChannel("DEV.APP.SVRCONN");
      factory.setQueueManager("QM1");
      return wrapper.wrapConnectionFactory(factory);
    }
  }

  /** Each method is a transaction; an exception rolls it back. */
  @ApplicationScoped
  @Transactional
  public static class Work {
    @Inject
    ConnectionFactory factory;

    public void send(String text, boolean fails) {
      try (JMSContext context = factory.createContext()) {
        context.createProducer().send(context.createQueue(IN), text);
      }
      if (fails) {
        throw new IllegalStateException("to be undone");
      }
    }

    public String pass(boolean fails, long wait) {
      String text;
      try (JMSContext context = factory.createContext()) {
        text = received(context, IN, wait);
        if (text != null) {
          context.createProducer().send(context.createQueue(OUT), text + "!");
        }
      }
      if (fails) {
        throw new IllegalStateException("to be undone");
      }
      return text;
    }

    public String end(long wait) {
      try (JMSContext context = factory.createContext()) {
        return received(context, OUT, wait);
      }
    }
  }

  static String received(JMSContext context, String queue, long wait) {
    try (JMSConsumer consumer = context.createConsumer(context.createQueue(queue))) {
      Message message = consumer.receive(wait);
      return message == null ? null : message.getBody(String.class);
    } catch (JMSException error) {
      throw new IllegalArgumentException(error);
    }
  }

  @Inject
  Work work;

  static void expect(Object expected, Object actual) {
    if (!expected.equals(actual)) {
      throw new AssertionError("expected " + expected + ", got " + actual);
    }
  }

  static void undone(Check check) throws Exception {
    try {
      check.run();
    } catch (IllegalStateException expected) {
      return;
    }
    throw new AssertionError("no exception");
  }

  static void check(String name, Check check) {
    try {
      check.run();
      System.out.println("ok " + name);
    } catch (Throwable error) {
      System.out.println("failed " + name + ": " + error);
    }
  }

  @Override
  public int run(String... arguments) {
    int count = Integer.parseInt(arguments[0]);
    check("Quarkus: transactions that are rolled back leave nothing", () -> {
      undone(() -> work.send("never", true));
      work.send("a", false);
      undone(() -> work.pass(true, 20_000));
      expect("null", String.valueOf(work.end(500)));
      expect("a", work.pass(false, 20_000));
      expect("a!", work.end(20_000));
      expect("null", String.valueOf(work.pass(false, 500)));
    });
    check("Quarkus: transactions of two queues over a pool", () -> {
      for (int i = 0; i < count; i++) {
        work.send("message " + i, false);
        expect("message " + i, work.pass(false, 20_000));
        expect("message " + i + "!", work.end(20_000));
      }
    });
    return 0;
  }
}
