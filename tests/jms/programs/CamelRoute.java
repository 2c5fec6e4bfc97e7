import com.ibm.mq.jakarta.jms.MQConnectionFactory;
import com.ibm.msg.client.jakarta.wmq.WMQConstants;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.component.jms.JmsComponent;
import org.apache.camel.impl.DefaultCamelContext;
import org.messaginghub.pooled.jms.JmsPoolConnectionFactory;

/**
 * A route of Apache Camel over Pooled JMS: what comes by CAMEL.IN goes on to CAMEL.OUT a quarter of
 * an hour later. It runs until its standard input ends.
 */
public final class CamelRoute extends RouteBuilder {
  @Override
  public void configure() {
    from("jms:queue:CAMEL.IN")
        .process(
            exchange -> {
              if (exchange.getMessage().getBody(String.class).startsWith("not ")) {
                throw new IllegalArgumentException("not for this route");
              }
            })
        .to("jms:queue:CAMEL.OUT?deliveryDelay=900000");
  }

  public static void main(String[] arguments) throws Exception {
    MQConnectionFactory factory = new MQConnectionFactory();
    factory.setTransportType(WMQConstants.WMQ_CM_CLIENT);
    factory.setConnectionNameList(arguments[0]);
    factory.setChannel(arguments[1]);
    JmsPoolConnectionFactory pool = new JmsPoolConnectionFactory();
    pool.setConnectionFactory(factory);
    try (DefaultCamelContext camel = new DefaultCamelContext()) {
      JmsComponent jms = JmsComponent.jmsComponentTransacted(pool);
      camel.addComponent("jms", jms);
      camel.addRoutes(new CamelRoute());
      camel.start();
      System.in.transferTo(System.err);
    }
    pool.stop();
  }
}
