import com.ibm.mq.MQException;
import com.ibm.mq.MQGetMessageOptions;
import com.ibm.mq.MQMessage;
import com.ibm.mq.MQPutMessageOptions;
import com.ibm.mq.MQQueue;
import com.ibm.mq.MQQueueManager;
import com.ibm.mq.MQTopic;
import com.ibm.mq.constants.CMQC;
import com.ibm.mq.constants.CMQCFC;
import com.ibm.mq.headers.pcf.PCFMessage;
import com.ibm.mq.headers.pcf.PCFMessageAgent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Hashtable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The IBM MQ classes for Java: the MQI as Java programs use it, and PCF commands. */
final class BaseClasses {

  /** A connection that stays open, with the queues it has open. */
  private static final class Held {
    MQQueueManager manager;
    final Map<String, MQQueue> queues = new HashMap<>();
  }

  private static final Map<String, Held> HELD = new HashMap<>();

  private BaseClasses() {}

  static void add() {
    Programs.add("mq-connect", BaseClasses::connect);
    Programs.add("mq-put", BaseClasses::put);
    Programs.add("mq-get", BaseClasses::get);
    Programs.add("mq-commit", given -> end(given, true));
    Programs.add("mq-backout", given -> end(given, false));
    Programs.add("mq-inquire", BaseClasses::inquire);
    Programs.add("mq-set", BaseClasses::set);
    Programs.add("mq-dynamic", BaseClasses::dynamic);
    Programs.add("mq-topic", BaseClasses::topic);
    Programs.add("pcf", BaseClasses::pcf);
  }

  private static MQQueueManager connected(Programs.Given given) throws MQException {
    Hashtable<String, Object> properties = new Hashtable<>();
    properties.put(CMQC.TRANSPORT_PROPERTY, CMQC.TRANSPORT_MQSERIES_CLIENT);
    properties.put(CMQC.HOST_NAME_PROPERTY, "127.0.0.1");
    properties.put(CMQC.PORT_PROPERTY, given.whole("port", 1414));
    properties.put(CMQC.CHANNEL_PROPERTY, given.text("channel", "DEV.APP.SVRCONN"));
    if (given.has("user")) {
      properties.put(CMQC.USER_ID_PROPERTY, given.text("user"));
      properties.put(CMQC.PASSWORD_PROPERTY, given.text("password", ""));
    }
    return new MQQueueManager(given.text("qmgr", "QM1"), properties);
  }

  private static Object connect(Programs.Given given) throws MQException {
    Held held = new Held();
    held.manager = connected(given);
    HELD.put(given.text("id", "one"), held);
    return null;
  }

  private static Held held(Programs.Given given) {
    Held held = HELD.get(given.text("id", "one"));
    if (held == null) {
      throw new IllegalStateException("not connected: " + given.text("id", "one"));
    }
    return held;
  }

  private static MQQueue queue(Held held, String name, int options) throws MQException {
    String key = name + " " + options;
    if (!held.queues.containsKey(key)) {
      held.queues.put(key, held.manager.accessQueue(name, options));
    }
    return held.queues.get(key);
  }

  private static Object put(Programs.Given given) throws Exception {
    Held held = held(given);
    MQMessage message = new MQMessage();
    message.expiry = given.whole("expiry", CMQC.MQEI_UNLIMITED);
    message.report = given.whole("report", 0);
    message.persistence = given.whole("persistence", message.persistence);
    message.priority = given.whole("priority", message.priority);
    message.format = given.text("format", CMQC.MQFMT_STRING);
    message.characterSet = given.whole("ccsid", 1208);
    message.encoding = given.whole("encoding", message.encoding);
    message.replyToQueueName = given.text("reply", "");
    message.backoutCount = given.whole("backout", 0);
    if (given.has("correlation")) {
      message.correlationId = bytes(given.text("correlation"));
    }
    message.write(given.text("text", "hello").getBytes(StandardCharsets.ISO_8859_1));
    MQPutMessageOptions options = new MQPutMessageOptions();
    options.options = given.flag("syncpoint") ? CMQC.MQPMO_SYNCPOINT : CMQC.MQPMO_NO_SYNCPOINT;
    if (given.flag("put1")) {
      held.manager.put(given.text("to"), message, options);
    } else {
      queue(held, given.text("to"), CMQC.MQOO_OUTPUT).put(message, options);
    }
    return described(message, null);
  }

  private static byte[] bytes(String text) {
    return Arrays.copyOf(text.getBytes(StandardCharsets.ISO_8859_1), 24);
  }

  private static Object get(Programs.Given given) throws Exception {
    Held held = held(given);
    MQMessage message = new MQMessage();
    MQGetMessageOptions options = new MQGetMessageOptions();
    options.options = given.flag("syncpoint") ? CMQC.MQGMO_SYNCPOINT : CMQC.MQGMO_NO_SYNCPOINT;
    options.matchOptions = CMQC.MQMO_NONE;
    int open = CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_BROWSE | CMQC.MQOO_INQUIRE;
    switch (given.text("browse", "")) {
      case "first":
        options.options = CMQC.MQGMO_BROWSE_FIRST;
        break;
      case "next":
        options.options = CMQC.MQGMO_BROWSE_NEXT;
        break;
      case "lock":
        options.options = CMQC.MQGMO_BROWSE_FIRST | CMQC.MQGMO_LOCK;
        break;
      case "under-cursor":
        options.options |= CMQC.MQGMO_MSG_UNDER_CURSOR;
        break;
      default:
    }
    if (given.has("wait")) {
      options.options |= CMQC.MQGMO_WAIT;
      options.waitInterval = given.whole("wait", 0);
    }
    if (given.has("correlation")) {
      options.matchOptions = CMQC.MQMO_MATCH_CORREL_ID;
      message.correlationId = bytes(given.text("correlation"));
    }
    MQQueue queue = queue(held, given.text("from"), open);
    queue.get(message, options);
    byte[] body = new byte[message.getDataLength()];
    message.readFully(body);
    return described(message, body);
  }

  private static Map<String, Object> described(MQMessage message, byte[] body) {
    Map<String, Object> seen = new LinkedHashMap<>();
    seen.put("id", hexadecimal(message.messageId));
    seen.put("correlation", hexadecimal(message.correlationId));
    seen.put("expiry", message.expiry);
    seen.put("backout", message.backoutCount);
    seen.put("report", message.report);
    seen.put("feedback", message.feedback);
    seen.put("type", message.messageType);
    seen.put("format", message.format.trim());
    seen.put("ccsid", message.characterSet);
    seen.put("encoding", message.encoding);
    seen.put("priority", message.priority);
    seen.put("persistence", message.persistence);
    seen.put("body", body == null ? null : new String(body, StandardCharsets.ISO_8859_1));
    return seen;
  }

  private static String hexadecimal(byte[] id) {
    StringBuilder text = new StringBuilder();
    for (byte one : id) {
      text.append(String.format("%02x", one));
    }
    return text.toString();
  }

  private static Object end(Programs.Given given, boolean commit) throws MQException {
    if (commit) {
      held(given).manager.commit();
    } else {
      held(given).manager.backout();
    }
    return null;
  }

  private static Object inquire(Programs.Given given) throws MQException {
    MQQueue queue = held(given).manager.accessQueue(given.text("from"), CMQC.MQOO_INQUIRE);
    int[] numbers = new int[2];
    byte[] name = new byte[48];
    queue.inquire(
        new int[] {CMQC.MQIA_CURRENT_Q_DEPTH, CMQC.MQIA_BACKOUT_THRESHOLD, CMQC.MQCA_BACKOUT_REQ_Q_NAME},
        numbers, name);
    queue.close();
    return List.of(numbers[0], numbers[1],
        new String(name, StandardCharsets.ISO_8859_1).trim());
  }

  private static Object set(Programs.Given given) throws MQException {
    MQQueue queue = held(given).manager.accessQueue(given.text("to"), CMQC.MQOO_SET);
    int value = given.flag("inhibited") ? CMQC.MQQA_PUT_INHIBITED : CMQC.MQQA_PUT_ALLOWED;
    queue.set(new int[] {CMQC.MQIA_INHIBIT_PUT}, new int[] {value}, new byte[0]);
    queue.close();
    return null;
  }

  /** A dynamic queue from a model: its name, and what goes through it. */
  private static Object dynamic(Programs.Given given) throws Exception {
    MQQueue queue = held(given).manager.accessQueue(given.text("model"),
        CMQC.MQOO_INPUT_SHARED | CMQC.MQOO_OUTPUT, null, "JMS.TEST.*", null);
    MQMessage sent = new MQMessage();
    sent.writeString("through a dynamic queue");
    queue.put(sent);
    MQMessage got = new MQMessage();
    queue.get(got);
    String text = got.readStringOfByteLength(got.getDataLength());
    String name = queue.getName().trim();
    queue.close();
    return List.of(name, text);
  }

  /** Subscribes, publishes and gets the publication. */
  private static Object topic(Programs.Given given) throws Exception {
    MQQueueManager manager = held(given).manager;
    String string = given.text("topic");
    MQTopic subscriber = manager.accessTopic(string, null, CMQC.MQTOPIC_OPEN_AS_SUBSCRIPTION,
        CMQC.MQSO_CREATE | CMQC.MQSO_NON_DURABLE | CMQC.MQSO_MANAGED);
    MQTopic publisher = manager.accessTopic(string, null, CMQC.MQTOPIC_OPEN_AS_PUBLICATION,
        CMQC.MQOO_OUTPUT);
    MQMessage sent = new MQMessage();
    sent.format = CMQC.MQFMT_STRING;
    sent.writeString("published");
    publisher.put(sent);
    MQMessage got = new MQMessage();
    MQGetMessageOptions options = new MQGetMessageOptions();
    options.options = CMQC.MQGMO_WAIT;
    options.waitInterval = 5000;
    subscriber.get(got, options);
    String text = got.readStringOfByteLength(got.getDataLength());
    publisher.close();
    subscriber.close();
    return text;
  }

  /** The PCF agent: pings the queue manager, asks for names of queues. */
  private static Object pcf(Programs.Given given) throws Exception {
    MQQueueManager manager = connected(given);
    PCFMessageAgent agent = new PCFMessageAgent(manager);
    agent.send(new PCFMessage(CMQCFC.MQCMD_PING_Q_MGR));
    PCFMessage request = new PCFMessage(CMQCFC.MQCMD_INQUIRE_Q_NAMES);
    request.addParameter(CMQC.MQCA_Q_NAME, given.text("names"));
    request.addParameter(CMQC.MQIA_Q_TYPE, CMQC.MQQT_LOCAL);
    List<String> names = new ArrayList<>();
    for (PCFMessage answer : agent.send(request)) {
      for (String name : (String[]) answer.getParameterValue(CMQCFC.MQCACF_Q_NAMES)) {
        names.add(name.trim());
      }
    }
    agent.disconnect();
    manager.disconnect();
    return names;
  }

  static void closeAll(List<String> failed) {
    HELD.values().forEach(
        held -> {
          try {
            held.manager.disconnect();
          } catch (MQException thrown) {
            failed.add(thrown.toString());
          }
        });
    HELD.clear();
  }
}
