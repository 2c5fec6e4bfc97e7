import com.ibm.mq.jakarta.jms.MQConnectionFactory;
import com.ibm.msg.client.jakarta.wmq.WMQConstants;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.jms.ConnectionFactory;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.microprofile.config.ConfigProvider;
import org.eclipse.microprofile.reactive.messaging.Channel;
import org.eclipse.microprofile.reactive.messaging.Emitter;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.eclipse.microprofile.reactive.messaging.Outgoing;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;
import org.messaginghub.pooled.jms.JmsPoolConnectionFactory;

/**
 * SmallRye Reactive Messaging, which Quarkus uses, over Pooled JMS and IBM's client.
 *
 * <p>Prints `ok NAME` for what went well, `failed NAME: WHY` for what did not. Argument: how many
 * messages go through the pipeline.
 */
public class SmallRye {
  @ApplicationScoped
  public static class Pool {
    @Produces
    @ApplicationScoped
    public ConnectionFactory pool() throws Exception {
      MQConnectionFactory factory = new MQConnectionFactory();
      factory.setTransportType(WMQConstants.WMQ_CM_CLIENT);
      factory.setConnectionNameList(System.getenv("MQ_CONN"));
      factory.setChannel("DEV.APP.SVRCONN");
      factory.setQueueManager("QM1");
      JmsPoolConnectionFactory pool = new JmsPoolConnectionFactory();
      pool.setConnectionFactory(factory);
      pool.setMaxConnections(4);
      return pool;
    }
  }

  @ApplicationScoped
  public static class Pipeline {
    final BlockingQueue<String> ends = new LinkedBlockingQueue<>();

    @Inject
    @Channel("begin")
    Emitter<String> begin;

    @Incoming("in")
    @Outgoing("out")
    public String pass(String text) {
      return text + "!";
    }

    @Incoming("end")
    public void end(String text) {
      ends.add(text);
    }

    public void run(int count) throws Exception {
      for (int i = 0; i < count; i++) {
        begin.send("message " + i).toCompletableFuture().get(20, TimeUnit.SECONDS);
      }
      for (int i = 0; i < count; i++) {
        String expected = "message " + i + "!";
        String text = ends.poll(20, TimeUnit.SECONDS);
        if (!expected.equals(text)) {
          throw new AssertionError("expected " + expected + ", got " + text);
        }
      }
    }
  }

  static void channel(String direction, String name, String queue) {
    for (var entry : Map.of("connector", "smallrye-jms", "destination", queue).entrySet()) {
      System.setProperty("mp.messaging." + direction + "." + name + "." + entry.getKey(), entry.getValue());
    }
  }

  public static void main(String[] arguments) {
    channel("outgoing", "begin", "AUTHORS.IN");
    channel("incoming", "in", "AUTHORS.IN");
    channel("outgoing", "out", "AUTHORS.OUT");
    channel("incoming", "end", "AUTHORS.OUT");
    ConfigProvider.getConfig(); // whose first call makes it
    String name = "SmallRye: a pipeline of two queues over a pool";
    try (WeldContainer container = new Weld().addBeanClasses(Pool.class, Pipeline.class).initialize()) {
      container.select(Pipeline.class).get().run(Integer.parseInt(arguments[0]));
      System.out.println("ok " + name);
    } catch (Throwable error) {
      System.out.println("failed " + name + ": " + error);
    }
    System.exit(0);
  }
}
