import com.ibm.mq.constants.CMQC;
import jakarta.jms.CompletionListener;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.JMSProducer;
import jakarta.jms.JMSRuntimeException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.ObjectMessage;
import jakarta.jms.Queue;
import jakarta.jms.StreamMessage;
import jakarta.jms.TemporaryQueue;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Programs that are whole by themselves: each connects, does one thing, and leaves. */
final class Scenes {

  private Scenes() {}

  static void add() {
    Programs.add("message-types", Scenes::messageTypes);
    Programs.add("properties", Scenes::properties);
    Programs.add("completion-listener", Scenes::completionListener);
    Programs.add("request-reply", Scenes::requestReply);
    Programs.add("close-while-receiving", Scenes::closeWhileReceiving);
    Programs.add("keep-sending", Scenes::keepSending);
    Programs.add("send-many", Scenes::sendMany);
    Programs.add("receive-all", Scenes::receiveAll);
    Programs.add("listen-to-topic", Scenes::listenToTopic);
  }

  /** A map, a stream and an object go through a queue and come back equal. */
  private static Object messageTypes(Programs.Given given) throws JMSException {
    Map<String, Object> seen = new TreeMap<>();
    try (JMSContext context = Sessions.factory(given).createContext()) {
      Queue queue = context.createQueue(given.text("to"));
      MapMessage map = context.createMapMessage();
      map.setInt("number", 42);
      map.setString("name", "caf\u00e9");
      map.setBytes("bytes", new byte[] {1, 2, 3});
      map.setDouble("real", 1.5);
      StreamMessage stream = context.createStreamMessage();
      stream.writeLong(1L << 40);
      stream.writeString("two");
      stream.writeBoolean(true);
      ObjectMessage object = context.createObjectMessage(new ArrayList<>(List.of("a", "b")));
      JMSProducer producer = context.createProducer();
      producer.send(queue, map).send(queue, stream).send(queue, object);
      producer.send(queue, context.createMessage());
      try (JMSConsumer consumer = context.createConsumer(queue)) {
        MapMessage mapBack = (MapMessage) consumer.receive(5000);
        seen.put("map", List.of(mapBack.getInt("number"), mapBack.getString("name"),
            mapBack.getBytes("bytes").length, mapBack.getDouble("real")));
        StreamMessage streamBack = (StreamMessage) consumer.receive(5000);
        seen.put("stream", List.of(streamBack.readLong(), streamBack.readString(),
            streamBack.readBoolean()));
        seen.put("object", ((ObjectMessage) consumer.receive(5000)).getObject().toString());
        Message empty = consumer.receive(5000);
        seen.put("empty", empty != null && !(empty instanceof TextMessage));
      }
    }
    return seen;
  }

  /** Properties of all types, under the selectors and getters of the receiver. */
  private static Object properties(Programs.Given given) throws JMSException {
    Map<String, Object> seen = new TreeMap<>();
    try (JMSContext context = Sessions.factory(given).createContext()) {
      Queue queue = context.createQueue(given.text("to"));
      context.createProducer()
          .setProperty("aBoolean", true).setProperty("aByte", (byte) 7)
          .setProperty("aShort", (short) -300).setProperty("anInt", 70_000)
          .setProperty("aLong", 1L << 40).setProperty("aFloat", 1.5f)
          .setProperty("aDouble", 2.25).setProperty("aText", "<caf\u00e9 & co>")
          .setJMSType("order").setJMSCorrelationID("my-correlation")
          .send(queue, "with properties");
      try (JMSConsumer consumer = context.createConsumer(queue,
          "aBoolean = TRUE AND aLong > 1000000000000 AND aText LIKE '<caf_ & co>'"
              + " AND JMSType = 'order'")) {
        Message message = consumer.receive(5000);
        seen.putAll(Sessions.described(message));
        seen.put("kinds", List.of(message.getObjectProperty("aByte") instanceof Byte,
            message.getObjectProperty("aShort") instanceof Short,
            message.getObjectProperty("aFloat") instanceof Float,
            message.getObjectProperty("aLong") instanceof Long));
        seen.put("jms_type", message.getJMSType());
      }
    }
    return seen;
  }

  /** JMS 2.0's asynchronous send: the completion listener hears of each message, also of failure. */
  private static Object completionListener(Programs.Given given) throws Exception {
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    CompletionListener listener =
        new CompletionListener() {
          @Override
          public void onCompletion(Message message) {
            try {
              heard.add("sent " + ((TextMessage) message).getText());
            } catch (JMSException thrown) {
              heard.add(thrown.toString());
            }
          }

          @Override
          public void onException(Message message, Exception thrown) {
            heard.add("failed");
          }
        };
    try (JMSContext context = Sessions.factory(given).createContext()) {
      JMSProducer producer = context.createProducer().setAsync(listener);
      for (int number = 1; number <= given.whole("count", 1); number++) {
        producer.send(context.createQueue(given.text("to")), "message " + number);
      }
      List<String> texts = new ArrayList<>();
      while (texts.size() < given.whole("count", 1)) {
        texts.add(String.valueOf(heard.poll(10, TimeUnit.SECONDS)));
      }
      return texts;
    }
  }

  /** A request whose reply comes to a temporary queue; the replier is a second connection. */
  private static Object requestReply(Programs.Given given) throws JMSException {
    Map<String, Object> seen = new LinkedHashMap<>();
    try (JMSContext asker = Sessions.factory(given).createContext();
        JMSContext replier = Sessions.factory(given).createContext()) {
      TemporaryQueue replies = asker.createTemporaryQueue();
      Queue requests = asker.createQueue(given.text("to"));
      TextMessage request = asker.createTextMessage("what time is it?");
      request.setJMSReplyTo(replies);
      asker.createProducer().send(requests, request);
      try (JMSConsumer consumer = replier.createConsumer(requests)) {
        Message asked = consumer.receive(5000);
        TextMessage reply = replier.createTextMessage("late");
        reply.setJMSCorrelationID(asked.getJMSMessageID());
        replier.createProducer().send(asked.getJMSReplyTo(), reply);
      }
      try (JMSConsumer consumer = asker.createConsumer(replies,
          "JMSCorrelationID = '" + request.getJMSMessageID() + "'")) {
        seen.put("reply", consumer.receiveBody(String.class, 5000));
      }
      seen.put("queue", replies.getQueueName());
      replies.delete();
    }
    return seen;
  }

  /** receive() waits without end until another thread closes its consumer: then it is null. */
  private static Object closeWhileReceiving(Programs.Given given) throws Exception {
    try (JMSContext context = Sessions.factory(given).createContext()) {
      JMSConsumer consumer = context.createConsumer(context.createQueue(given.text("from")));
      CountDownLatch waiting = new CountDownLatch(1);
      AtomicReference<Object> got = new AtomicReference<>("still waiting");
      Thread receiver = new Thread(() -> {
        waiting.countDown();
        try {
          got.set(String.valueOf((Object) consumer.receive()));
        } catch (Exception thrown) {
          got.set(thrown.toString());
        }
      });
      receiver.start();
      waiting.await();
      Thread.sleep(given.number("pause", 1_500));
      consumer.close();
      receiver.join(10_000);
      return got.get();
    }
  }

  /** Sends numbered messages until asked to stop by their number; with automatic reconnection. */
  private static Object keepSending(Programs.Given given) throws Exception {
    int count = given.whole("count", 40);
    try (JMSContext context = Sessions.factory(given).createContext()) {
      for (int number = 1; number <= count; number++) {
        try {
          context.createProducer().send(context.createQueue(given.text("to")), "number " + number);
        } catch (JMSRuntimeException thrown) {
          if (!Programs.Thrown.of(thrown).get("reason").equals(CMQC.MQRC_CALL_INTERRUPTED)) {
            throw thrown;
          }
          number--; // nobody knows whether it arrived: the program sends it again
        }
        Thread.sleep(given.number("pause", 100));
      }
    }
    return count;
  }

  /** Sends many messages, in one transaction where asked to. */
  private static Object sendMany(Programs.Given given) throws JMSException {
    try (JMSContext context = Sessions.factory(given).createContext(Sessions.mode(given))) {
      JMSProducer producer = context.createProducer();
      producer.setDeliveryMode(given.whole("persistence", 2));
      Queue queue = context.createQueue(given.text("to"));
      for (int number = 1; number <= given.whole("count", 1); number++) {
        producer.send(queue, "number " + number);
      }
      if (Sessions.mode(given) == JMSContext.SESSION_TRANSACTED) {
        context.commit();
      }
    }
    return given.whole("count", 1);
  }

  /** Receives until nothing comes: with ?readAheadAllowed=1 in the name, ahead of the program. */
  private static Object receiveAll(Programs.Given given) throws JMSException {
    List<String> texts = new ArrayList<>();
    try (JMSContext context = Sessions.factory(given).createContext();
        JMSConsumer consumer = context.createConsumer(context.createQueue(given.text("from")))) {
      for (String text = next(consumer, given, 2000); text != null; ) {
        texts.add(text);
        text = next(consumer, given, 300);
      }
    }
    return texts;
  }

  private static String next(JMSConsumer consumer, Programs.Given given, long wait)
      throws JMSException {
    if (given.flag("body")) {
      return consumer.receiveBody(String.class, wait);
    }
    Message message = consumer.receive(wait);
    return message == null ? null : ((TextMessage) message).getText();
  }

  /** A listener of a topic hears what another session publishes. */
  private static Object listenToTopic(Programs.Given given) throws Exception {
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    try (JMSContext listener = Sessions.factory(given).createContext();
        JMSContext publisher = Sessions.factory(given).createContext()) {
      listener.createConsumer(listener.createTopic(given.text("from"))).setMessageListener(
          message -> {
            try {
              heard.add(((TextMessage) message).getText());
            } catch (JMSException thrown) {
              heard.add(thrown.toString());
            }
          });
      for (int number = 1; number <= given.whole("count", 3); number++) {
        publisher.createProducer().send(
            publisher.createTopic(given.text("from")), "number " + number);
      }
      return Listening.texts(heard, given.whole("count", 3));
    }
  }
}
