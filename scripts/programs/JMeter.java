import com.ibm.mq.jms.MQConnectionFactory;
import com.ibm.mq.jms.MQQueue;
import com.ibm.msg.client.wmq.WMQConstants;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.jms.JMSConsumer;
import javax.jms.JMSContext;
import javax.naming.Context;
import javax.naming.spi.NamingManager;
import org.apache.jmeter.control.LoopController;
import org.apache.jmeter.engine.StandardJMeterEngine;
import org.apache.jmeter.protocol.jms.control.gui.JMSPublisherGui;
import org.apache.jmeter.protocol.jms.sampler.BaseJMSSampler;
import org.apache.jmeter.protocol.jms.sampler.PublisherSampler;
import org.apache.jmeter.protocol.jms.sampler.SubscriberSampler;
import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.samplers.SampleListener;
import org.apache.jmeter.testelement.AbstractTestElement;
import org.apache.jmeter.testelement.TestPlan;
import org.apache.jmeter.threads.ThreadGroup;
import org.apache.jmeter.util.JMeterUtils;
import org.apache.jorphan.collections.HashTree;
import org.apache.jorphan.collections.ListedHashTree;

/**
 * A load of JMeter's JMS samplers over IBM's client: eight threads send, eight receive.
 *
 * <p>Prints `ok NAME` for what went well, `failed NAME: WHY` for what did not. Argument: seconds of
 * the load.
 */
public class JMeter {
  static final int THREADS = 8;
  static final AtomicInteger SENT = new AtomicInteger(), RECEIVED = new AtomicInteger();
  static final AtomicReference<String> WRONG = new AtomicReference<>();

  /** What JMeter looks up by JNDI: the connection factory by its name, queues by theirs. */
  static Context names() {
    return (Context) Proxy.newProxyInstance(
        JMeter.class.getClassLoader(), new Class<?>[] {Context.class},
        (self, method, arguments) -> method.getName().equals("lookup") ? named((String) arguments[0]) : null);
  }

  static Object named(String name) throws Exception {
    if (!name.equals("factory")) {
      return new MQQueue(name);
    }
    MQConnectionFactory factory = new MQConnectionFactory();
    factory.setTransportType(WMQConstants.WMQ_CM_CLIENT);
    factory.setConnectionNameList(System.getenv("MQ_CONN"));
    factory.setChannel("DEV.APP.SVRCONN");
    factory.setQueueManager("QM1");
    return factory;
  }

  /** Counts samples. */
  public static class Counter extends AbstractTestElement implements SampleListener {
    @Override
    public void sampleOccurred(SampleEvent event) {
      var sample = event.getResult();
      if (sample.isSuccessful()) {
        (sample.getSampleLabel().equals("send") ? SENT : RECEIVED).incrementAndGet();
      } else {
        WRONG.compareAndSet(null, sample.getSampleLabel() + ": " + sample.getResponseMessage());
      }
    }

    @Override
    public void sampleStarted(SampleEvent event) { }

    @Override
    public void sampleStopped(SampleEvent event) { }
  }

  static <T extends BaseJMSSampler> T set(T sampler, String name) {
    sampler.setName(name);
    sampler.setUseJNDIProperties("false");
    sampler.setJNDIIntialContextFactory("ours");
    sampler.setProviderUrl("unused");
    sampler.setConnectionFactory("factory");
    sampler.setDestination("AUTHORS.OUT");
    sampler.setIterations("1");
    return sampler;
  }

  static PublisherSampler sender() {
    PublisherSampler sampler = set(new PublisherSampler(), "send");
    sampler.setConfigChoice(JMSPublisherGui.USE_TEXT_RSC);
    sampler.setMessageChoice(JMSPublisherGui.TEXT_MSG_RSC);
    sampler.setTextMessage("message of ${__threadNum}");
    return sampler;
  }

  static SubscriberSampler receiver() {
    SubscriberSampler sampler = set(new SubscriberSampler(), "receive");
    sampler.setClientChoice("jms_subscriber_receive");
    sampler.setTimeout("20000");
    return sampler;
  }

  static ThreadGroup group(int seconds) {
    LoopController loop = new LoopController();
    loop.setLoops(LoopController.INFINITE_LOOP_COUNT);
    ThreadGroup group = new ThreadGroup();
    group.setNumThreads(THREADS);
    group.setRampUp(0);
    group.setScheduler(true);
    group.setDuration(seconds);
    group.setSamplerController(loop);
    return group;
  }

  /** How many messages the end of the load left behind, between a send and its receive. */
  static int left() throws Exception {
    try (JMSContext context = ((MQConnectionFactory) named("factory")).createContext()) {
      JMSConsumer consumer = context.createConsumer(context.createQueue("AUTHORS.OUT"));
      int left = 0;
      while (consumer.receive(1_000) != null) {
        left++;
      }
      return left;
    }
  }

  static void load(int seconds) throws Exception {
    Path properties = Files.createTempFile("jmeter", ".properties");
    JMeterUtils.loadJMeterProperties(properties.toString());
    JMeterUtils.setJMeterHome(properties.getParent().toString());
    JMeterUtils.initLocale();
    HashTree plan = new ListedHashTree(), in = plan.add(new TestPlan("load"));
    HashTree samplers = in.add(group(seconds));
    samplers.add(List.of(sender(), receiver()));
    in.add(new Counter());
    StandardJMeterEngine engine = new StandardJMeterEngine();
    engine.configure(plan);
    engine.run();
    Files.delete(properties);
    if (WRONG.get() != null) {
      throw new AssertionError(WRONG.get());
    }
    int left = left();
    if (SENT.get() < THREADS || SENT.get() != RECEIVED.get() + left) {
      throw new AssertionError(SENT + " sent, " + RECEIVED + " received, " + left + " left");
    }
  }

  public static void main(String[] arguments) {
    String name = "JMeter: a load of its JMS samplers";
    try {
      NamingManager.setInitialContextFactoryBuilder(builder -> environment -> names());
      load(Integer.parseInt(arguments[0]));
      System.out.println("ok " + name);
    } catch (Throwable error) {
      System.out.println("failed " + name + ": " + error);
    }
    System.exit(0);
  }
}
