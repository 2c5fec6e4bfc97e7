// Sends messages with a delivery delay through IBM MQ classes for JMS; run by `mqtriage msg put --delay`.
//
// Standard input: one "name value" a line, values in base64 of UTF-8 (of bytes for bytes and
// correlid); "string NAME value" and "int NAME value" are properties, and each "text value" or
// "bytes value" is a message. So no password stands on a command line. Several messages are sent
// in one unit of work, and one that is sent often in units of 100. Standard output: the MsgId of
// each message whose unit of work is committed.
// Exit 1: the last line of standard error is "failed", a tab, the reason code (0 for none), a tab
// and what the client said in one line.

import com.ibm.msg.client.jms.JmsConnectionFactory;
import com.ibm.msg.client.jms.JmsFactoryFactory;
import com.ibm.msg.client.wmq.WMQConstants;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.jms.BytesMessage;
import javax.jms.DeliveryMode;
import javax.jms.JMSContext;
import javax.jms.JMSProducer;
import javax.jms.Message;
import javax.jms.Queue;

public class DelayedPut {
    private static final int BATCH = 100;
    private final Map<String, byte[]> values = new HashMap<>();
    private final List<String[]> properties = new ArrayList<>();
    private final List<Object> bodies = new ArrayList<>();

    public static void main(String[] arguments) {
        int code = 0;
        try {
            DelayedPut put = new DelayedPut();
            put.read();
            put.send();
        } catch (Throwable error) {
            System.err.println("failed\t" + reason(error) + "\t" + text(error));
            code = 1;
        }
        System.out.flush();
        System.exit(code); // threads of the client would keep the JVM
    }

    private void read() throws Exception {
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split(" ", -1);
            if (words.length == 3) {
                properties.add(new String[] {words[0], decoded(words[1]), decoded(words[2])});
            } else if (words[0].equals("text")) {
                bodies.add(decoded(words[1]));
            } else if (words[0].equals("bytes")) {
                bodies.add(Base64.getDecoder().decode(words[1]));
            } else {
                values.put(words[0], Base64.getDecoder().decode(words[1]));
            }
        }
    }

    private static String decoded(String word) {
        return new String(Base64.getDecoder().decode(word), StandardCharsets.UTF_8);
    }

    private String value(String name) {
        byte[] bytes = values.get(name);
        return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
    }

    private JmsConnectionFactory factory() throws Exception {
        JmsConnectionFactory factory =
            JmsFactoryFactory.getInstance(WMQConstants.WMQ_PROVIDER).createConnectionFactory();
        factory.setIntProperty(WMQConstants.WMQ_CONNECTION_MODE, WMQConstants.WMQ_CM_CLIENT);
        factory.setIntProperty(
            WMQConstants.WMQ_CLIENT_RECONNECT_OPTIONS, WMQConstants.WMQ_CLIENT_RECONNECT_DISABLED);
        factory.setStringProperty(WMQConstants.WMQ_QUEUE_MANAGER, value("qmgr"));
        factory.setStringProperty(WMQConstants.WMQ_APPLICATIONNAME, value("application"));
        if (value("ccdt").isEmpty()) {
            factory.setStringProperty(WMQConstants.WMQ_CONNECTION_NAME_LIST, value("connection"));
            factory.setStringProperty(WMQConstants.WMQ_CHANNEL, value("channel"));
        } else {
            factory.setObjectProperty(WMQConstants.WMQ_CCDTURL, new URL(value("ccdt")));
        }
        if (!value("cipher").isEmpty()) {
            factory.setStringProperty(WMQConstants.WMQ_SSL_CIPHER_SUITE, value("cipher"));
        }
        if (!value("peer").isEmpty()) {
            factory.setStringProperty(WMQConstants.WMQ_SSL_PEER_NAME, value("peer"));
        }
        if (!value("user").isEmpty()) {
            factory.setBooleanProperty(WMQConstants.USER_AUTHENTICATION_MQCSP, true);
            factory.setStringProperty(WMQConstants.USERID, value("user"));
            factory.setStringProperty(WMQConstants.PASSWORD, value("password"));
        }
        return factory;
    }

    private void send() throws Exception {
        try (JMSContext context = factory().createContext(JMSContext.SESSION_TRANSACTED)) {
            Queue queue = context.createQueue("queue:///" + value("queue"));
            JMSProducer producer = context.createProducer()
                .setDeliveryDelay(Long.parseLong(value("delay_ms")))
                .setTimeToLive(Long.parseLong(value("lifetime_ms")))
                .setPriority(Integer.parseInt(value("priority")))
                .setDeliveryMode(
                    value("persistent").equals("1")
                        ? DeliveryMode.PERSISTENT : DeliveryMode.NON_PERSISTENT);
            int count = Integer.parseInt(value("count")) * bodies.size();
            List<String> sent = new ArrayList<>();
            for (int number = 1; number <= count; number++) {
                Message message = message(context, bodies.get((number - 1) % bodies.size()));
                producer.send(queue, message);
                sent.add(message.getJMSMessageID());
                if (number == count || (bodies.size() == 1 && number % BATCH == 0)) {
                    context.commit();
                    sent.forEach(System.out::println);
                    System.out.flush();
                    sent.clear();
                }
            }
        }
    }

    private Message message(JMSContext context, Object body) throws Exception {
        Message message;
        if (body instanceof String) {
            message = context.createTextMessage((String) body);
        } else {
            BytesMessage bytes = context.createBytesMessage();
            bytes.writeBytes((byte[]) body);
            message = bytes;
        }
        if (values.containsKey("correlid")) {
            message.setJMSCorrelationIDAsBytes(values.get("correlid"));
        }
        if (!value("reply_to").isEmpty()) {
            message.setJMSReplyTo(context.createQueue("queue:///" + value("reply_to")));
        }
        for (String[] property : properties) {
            if (property[0].equals("int")) {
                message.setIntProperty(property[1], Integer.parseInt(property[2]));
            } else {
                message.setStringProperty(property[1], property[2]);
            }
        }
        return message;
    }

    private static int reason(Throwable error) {
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            if (cause instanceof com.ibm.mq.MQException) {
                return ((com.ibm.mq.MQException) cause).getReason();
            }
        }
        return 0;
    }

    private static String text(Throwable error) {
        String message = error.getMessage() == null ? error.toString() : error.getMessage();
        return message.replaceAll("\\s+", " ").strip();
    }
}
