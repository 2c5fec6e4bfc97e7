import com.ibm.mq.jakarta.jms.MQConnectionFactory;
import com.ibm.mq.jakarta.jms.MQQueueConnectionFactory;
import com.ibm.mq.jakarta.jms.MQTopicConnectionFactory;
import com.ibm.mq.jakarta.jms.MQXAConnectionFactory;
import com.ibm.msg.client.jakarta.wmq.WMQConstants;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.Destination;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import jakarta.jms.QueueConnection;
import jakarta.jms.QueueSession;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.jms.Topic;
import jakarta.jms.TopicConnection;
import jakarta.jms.TopicSession;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Sessions that stay open from one program to the next, so that a test can look at the queues in
 * between. Each is a JMSContext (JMS 2.0, {@code api=context}) or a Connection with a Session (JMS
 * 1.1, {@code api=session}; {@code queue} and {@code topic} are the kinds of JMS 1.0).
 */
final class Sessions {

  /** One open session, with its producer and its consumer. */
  static final class Held {
    JMSContext context;
    Connection connection;
    Session session;
    JMSProducer producer;
    MessageProducer bound;
    JMSConsumer consumer;
    MessageConsumer receiver;
    Message last;

    Queue queue(String name) throws JMSException {
      return context != null ? context.createQueue(name) : session.createQueue(name);
    }

    Topic topic(String name) throws JMSException {
      return context != null ? context.createTopic(name) : session.createTopic(name);
    }

    /** A destination as the tests write it: queue:///NAME, topic://STRING. */
    Destination destination(String uri) throws JMSException {
      return uri.startsWith("topic:") ? topic(uri) : queue(uri);
    }

    TextMessage text(String body) throws JMSException {
      return context != null ? context.createTextMessage(body) : session.createTextMessage(body);
    }

    BytesMessage bytes() throws JMSException {
      return context != null ? context.createBytesMessage() : session.createBytesMessage();
    }

    void close() throws JMSException {
      if (context != null) {
        context.close();
      } else {
        connection.close();
      }
    }
  }

  private static final Map<String, Held> HELD = new HashMap<>();

  private Sessions() {}

  static void add() {
    Programs.add("open", Sessions::open);
    Programs.add("set", Sessions::set);
    Programs.add("send", Sessions::send);
    Programs.add("consume", Sessions::consume);
    Programs.add("receive", Sessions::receive);
    Programs.add("browse", Sessions::browse);
    Programs.add("commit", given -> end(given, true));
    Programs.add("rollback", given -> end(given, false));
    Programs.add("acknowledge", Sessions::acknowledge);
    Programs.add("recover", Sessions::recover);
    Programs.add("close-consumer", Sessions::closeConsumer);
    Programs.add("unsubscribe", Sessions::unsubscribe);
    Programs.add("close", Sessions::close);
    Programs.add("close-all", given -> closeAll());
  }

  /** The connection factory, as a program of a customer's fills it in. */
  static MQConnectionFactory factory(Programs.Given given) throws JMSException {
    return filled(new MQConnectionFactory(), given);
  }

  static MQXAConnectionFactory xaFactory(Programs.Given given) throws JMSException {
    return filled(new MQXAConnectionFactory(), given);
  }

  private static <T extends MQConnectionFactory> T filled(T made, Programs.Given given)
      throws JMSException {
    made.setTransportType(WMQConstants.WMQ_CM_CLIENT);
    made.setHostName("127.0.0.1");
    made.setPort(given.whole("port", 1414));
    made.setChannel(given.text("channel", "DEV.APP.SVRCONN"));
    made.setQueueManager(given.text("qmgr", "QM1"));
    made.setAppName("jms tests");
    if (given.has("mqcsp")) {
      made.setBooleanProperty(WMQConstants.USER_AUTHENTICATION_MQCSP, given.flag("mqcsp"));
    }
    if (given.has("cipher")) {
      made.setSSLCipherSuite(given.text("cipher"));
      made.setSSLSocketFactory(Ciphered.sockets(given));
    }
    if (given.flag("reconnect")) {
      made.setClientReconnectOptions(WMQConstants.WMQ_CLIENT_RECONNECT);
      made.setClientReconnectTimeout(30);
    }
    return made;
  }

  static Held held(Programs.Given given) {
    Held held = HELD.get(given.text("id", "one"));
    if (held == null) {
      throw new IllegalStateException("no open session " + given.text("id", "one"));
    }
    return held;
  }

  static int mode(Programs.Given given) {
    switch (given.text("mode", "auto")) {
      case "transacted":
        return JMSContext.SESSION_TRANSACTED;
      case "client":
        return JMSContext.CLIENT_ACKNOWLEDGE;
      case "dups-ok":
        return JMSContext.DUPS_OK_ACKNOWLEDGE;
      default:
        return JMSContext.AUTO_ACKNOWLEDGE;
    }
  }

  private static Object open(Programs.Given given) throws JMSException {
    MQConnectionFactory factory = factory(given);
    Held held = new Held();
    String user = given.text("user", null);
    if (given.text("api", "context").equals("context")) {
      held.context = user == null ? factory.createContext(mode(given))
          : factory.createContext(user, given.text("password", ""), mode(given));
      if (given.has("client-id")) {
        held.context.setClientID(given.text("client-id"));
      }
      held.producer = held.context.createProducer();
    } else if (given.text("api").equals("queue")) {
      QueueConnection connection =
          filled(new MQQueueConnectionFactory(), given).createQueueConnection();
      held.connection = connection;
      held.session = connection.createQueueSession(
          mode(given) == Session.SESSION_TRANSACTED, mode(given));
    } else if (given.text("api").equals("topic")) {
      TopicConnection connection =
          filled(new MQTopicConnectionFactory(), given).createTopicConnection();
      held.connection = connection;
      held.session = connection.createTopicSession(
          mode(given) == Session.SESSION_TRANSACTED, mode(given));
    } else {
      held.connection = user == null ? factory.createConnection()
          : factory.createConnection(user, given.text("password", ""));
      if (given.has("client-id")) {
        held.connection.setClientID(given.text("client-id"));
      }
      held.session = held.connection.createSession(
          mode(given) == Session.SESSION_TRANSACTED, mode(given));
    }
    if (held.session != null) {
      held.bound = held.session.createProducer(
          given.has("to") ? held.destination(given.text("to")) : null);
      held.connection.start();
    }
    HELD.put(given.text("id", "one"), held);
    return null;
  }

  /** Settings of the producer, in the order in which they are given. */
  private static Object set(Programs.Given given) throws JMSException {
    Held held = held(given);
    for (Map.Entry<String, String> one : given.below("").entrySet()) {
      long value;
      switch (one.getKey()) {
        case "delay":
          value = Long.parseLong(one.getValue());
          if (held.context != null) {
            held.producer.setDeliveryDelay(value);
          } else {
            held.bound.setDeliveryDelay(value);
          }
          break;
        case "ttl":
          value = Long.parseLong(one.getValue());
          if (held.context != null) {
            held.producer.setTimeToLive(value);
          } else {
            held.bound.setTimeToLive(value);
          }
          break;
        case "persistence":
          int mode = Integer.parseInt(one.getValue());
          if (held.context != null) {
            held.producer.setDeliveryMode(mode);
          } else {
            held.bound.setDeliveryMode(mode);
          }
          break;
        case "priority":
          int priority = Integer.parseInt(one.getValue());
          if (held.context != null) {
            held.producer.setPriority(priority);
          } else {
            held.bound.setPriority(priority);
          }
          break;
        default:
      }
    }
    return null;
  }

  private static Object send(Programs.Given given) throws JMSException {
    Held held = held(given);
    set(given);
    Message message = made(held, given);
    if (held.context != null) {
      held.producer.send(held.destination(given.text("to")), message);
    } else if (held.bound.getDestination() != null) {
      held.bound.send(message);
    } else if (given.has("sendttl")) {
      held.bound.send(held.destination(given.text("to")), message, held.bound.getDeliveryMode(),
          held.bound.getPriority(), given.number("sendttl", 0));
    } else {
      held.bound.send(held.destination(given.text("to")), message);
    }
    return described(message);
  }

  private static Message made(Held held, Programs.Given given) throws JMSException {
    Message message;
    if (given.has("bytes")) {
      BytesMessage bytes = held.bytes();
      bytes.writeBytes(given.text("bytes").getBytes(java.nio.charset.StandardCharsets.ISO_8859_1));
      message = bytes;
    } else if (given.has("size")) {
      message = held.text("x".repeat(given.whole("size", 0)));
    } else {
      message = held.text(given.text("text", "hello"));
    }
    if (given.has("correlation")) {
      message.setJMSCorrelationID(given.text("correlation"));
    }
    if (given.has("reply")) {
      message.setJMSReplyTo(held.destination(given.text("reply")));
    }
    for (Map.Entry<String, String> one : given.below("int.").entrySet()) {
      message.setIntProperty(one.getKey(), Integer.parseInt(one.getValue()));
    }
    for (Map.Entry<String, String> one : given.below("text.").entrySet()) {
      message.setStringProperty(one.getKey(), one.getValue());
    }
    return message;
  }

  /** What a program can see of a message. */
  static Map<String, Object> described(Message message) throws JMSException {
    if (message == null) {
      return null;
    }
    Map<String, Object> seen = new LinkedHashMap<>();
    seen.put("id", message.getJMSMessageID());
    seen.put("correlation", message.getJMSCorrelationID());
    seen.put("expiration", message.getJMSExpiration());
    seen.put("timestamp", message.getJMSTimestamp());
    seen.put("delivery_time", message.getJMSDeliveryTime());
    seen.put("mode", message.getJMSDeliveryMode());
    seen.put("priority", message.getJMSPriority());
    seen.put("redelivered", message.getJMSRedelivered());
    seen.put("to", String.valueOf(message.getJMSDestination()));
    seen.put("reply", String.valueOf(message.getJMSReplyTo()));
    Map<String, Object> properties = new LinkedHashMap<>();
    for (Enumeration<?> names = message.getPropertyNames(); names.hasMoreElements(); ) {
      String name = (String) names.nextElement();
      properties.put(name, message.getObjectProperty(name));
    }
    seen.put("properties", properties);
    if (message instanceof TextMessage) {
      String text = ((TextMessage) message).getText();
      seen.put("length", text == null ? 0 : text.length());
      seen.put("text", text == null || text.length() > 1000 ? null : text);
    } else if (message instanceof BytesMessage && message.propertyExists("JMS_IBM_MsgType")) {
      BytesMessage bytes = (BytesMessage) message;
      seen.put("length", bytes.getBodyLength());
      byte[] body = new byte[(int) Math.min(bytes.getBodyLength(), 1000)];
      bytes.readBytes(body);
      seen.put("bytes", new String(body, java.nio.charset.StandardCharsets.ISO_8859_1));
    }
    return seen;
  }

  private static Object consume(Programs.Given given) throws JMSException {
    Held held = held(given);
    consumer(held, given);
    return null;
  }

  /** The consumer that is asked for; queue-receiver and topic-subscriber are those of JMS 1.0. */
  static void consumer(Held held, Programs.Given given) throws JMSException {
    Destination from = held.destination(given.text("from"));
    String selector = given.text("selector", null);
    String name = given.text("name", "subscription");
    switch (given.text("kind", "plain")) {
      case "durable":
        if (held.context != null) {
          held.consumer = held.context.createDurableConsumer((Topic) from, name, selector, false);
        } else {
          held.receiver = held.session.createDurableConsumer((Topic) from, name, selector, false);
        }
        return;
      case "shared":
        if (held.context != null) {
          held.consumer = held.context.createSharedConsumer((Topic) from, name, selector);
        } else {
          held.receiver = held.session.createSharedConsumer((Topic) from, name, selector);
        }
        return;
      case "shared-durable":
        if (held.context != null) {
          held.consumer = held.context.createSharedDurableConsumer((Topic) from, name, selector);
        } else {
          held.receiver = held.session.createSharedDurableConsumer((Topic) from, name, selector);
        }
        return;
      case "queue-receiver":
        held.receiver = ((QueueSession) held.session).createReceiver((Queue) from, selector);
        return;
      case "topic-subscriber":
        held.receiver = ((TopicSession) held.session).createSubscriber((Topic) from);
        return;
      default:
        if (held.context != null) {
          held.consumer = held.context.createConsumer(from, selector);
        } else {
          held.receiver = held.session.createConsumer(from, selector);
        }
    }
  }

  /** One of the fifteen calls that receive synchronously. */
  static Object receive(Programs.Given given) throws JMSException {
    Held held = held(given);
    if (given.has("from")) {
      consumer(held, given);
    }
    long wait = given.number("wait", 2000);
    Message message;
    switch (given.text("call", "receive-timeout")) {
      case "receive":
        message = held.context != null ? held.consumer.receive() : held.receiver.receive();
        break;
      case "no-wait":
        message = held.context != null ? held.consumer.receiveNoWait()
            : held.receiver.receiveNoWait();
        break;
      case "body":
        return body(held.consumer.receiveBody(String.class));
      case "body-timeout":
        return body(held.consumer.receiveBody(String.class, wait));
      case "body-no-wait":
        return body(held.consumer.receiveBodyNoWait(String.class));
      default:
        message = held.context != null ? held.consumer.receive(wait) : held.receiver.receive(wait);
    }
    held.last = message == null ? held.last : message;
    return described(message);
  }

  private static Object body(String text) {
    return text == null ? null : Collections.singletonMap("text", text);
  }

  private static Object browse(Programs.Given given) throws JMSException {
    Held held = held(given);
    Queue queue = held.queue(given.text("from"));
    String selector = given.text("selector", null);
    QueueBrowser browser = held.context != null ? held.context.createBrowser(queue, selector)
        : held.session.createBrowser(queue, selector);
    List<Object> seen = new ArrayList<>();
    for (Enumeration<?> messages = browser.getEnumeration(); messages.hasMoreElements(); ) {
      seen.add(described((Message) messages.nextElement()));
    }
    browser.close();
    return seen;
  }

  private static Object end(Programs.Given given, boolean commit) throws JMSException {
    Held held = held(given);
    if (held.context != null && commit) {
      held.context.commit();
    } else if (held.context != null) {
      held.context.rollback();
    } else if (commit) {
      held.session.commit();
    } else {
      held.session.rollback();
    }
    return null;
  }

  private static Object acknowledge(Programs.Given given) throws JMSException {
    held(given).last.acknowledge();
    return null;
  }

  private static Object recover(Programs.Given given) throws JMSException {
    Held held = held(given);
    if (held.context != null) {
      held.context.recover();
    } else {
      held.session.recover();
    }
    return null;
  }

  private static Object closeConsumer(Programs.Given given) throws JMSException {
    Held held = held(given);
    if (held.context != null) {
      held.consumer.close();
    } else {
      held.receiver.close();
    }
    return null;
  }

  private static Object unsubscribe(Programs.Given given) throws JMSException {
    Held held = held(given);
    String name = given.text("name", "subscription");
    if (held.context != null) {
      held.context.unsubscribe(name);
    } else {
      held.session.unsubscribe(name);
    }
    return null;
  }

  private static Object close(Programs.Given given) throws JMSException {
    held(given).close();
    HELD.remove(given.text("id", "one"));
    return null;
  }

  private static Object closeAll() {
    List<String> failed = new ArrayList<>();
    HELD.values().forEach(
        held -> {
          try {
            held.close();
          } catch (Exception thrown) {
            failed.add(String.valueOf(thrown));
          }
        });
    HELD.clear();
    BaseClasses.closeAll(failed);
    return failed;
  }
}
