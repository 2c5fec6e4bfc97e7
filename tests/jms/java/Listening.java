import jakarta.jms.Connection;
import jakarta.jms.ConnectionConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageListener;
import jakarta.jms.ServerSession;
import jakarta.jms.ServerSessionPool;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Asynchronous delivery: MessageListeners, and the ConnectionConsumer of application servers. */
final class Listening {

  /** What a listener heard, in order. */
  private static final Map<String, BlockingQueue<Map<String, Object>>> HEARD = new HashMap<>();

  /** What an ExceptionListener was told, in order. */
  private static final Map<String, BlockingQueue<Map<String, Object>>> TOLD = new HashMap<>();

  private Listening() {}

  static void add() {
    Programs.add("listen", Listening::listen);
    Programs.add("heard", Listening::heard);
    Programs.add("told", Listening::told);
    Programs.add("stop", given -> stop(given));
    Programs.add("go", given -> go(given));
    Programs.add("two-listeners", Listening::twoListeners);
    Programs.add("connection-consumer", Listening::connectionConsumer);
  }

  /** Listens with a held session; a text that begins with "poison" fails. */
  private static Object listen(Programs.Given given) throws JMSException {
    Sessions.Held held = Sessions.held(given);
    BlockingQueue<Map<String, Object>> heard = new LinkedBlockingQueue<>();
    HEARD.put(given.text("id", "one"), heard);
    BlockingQueue<Map<String, Object>> told = new LinkedBlockingQueue<>();
    TOLD.put(given.text("id", "one"), told);
    if (held.context != null) {
      held.context.setExceptionListener(thrown -> told.add(Programs.Thrown.of(thrown)));
    } else {
      held.connection.setExceptionListener(thrown -> told.add(Programs.Thrown.of(thrown)));
    }
    String mode = given.text("mode", "auto");
    MessageListener listener = message -> {
      Map<String, Object> seen = new LinkedHashMap<>();
      try {
        seen.putAll(Sessions.described(message));
        String text = String.valueOf(seen.get("text"));
        seen.put("text", text);
        boolean fails = text.startsWith("poison");
        if (mode.equals("transacted")) {
          end(held, !fails);
        } else if (fails) {
          throw new IllegalStateException("the listener cannot work with this message");
        } else if (mode.equals("client")) {
          message.acknowledge();
        }
      } catch (JMSException thrown) {
        seen.put("error", thrown.toString());
      } finally {
        heard.add(seen);
      }
    };
    if (held.context != null) {
      held.context.setAutoStart(false);
      Sessions.consumer(held, given);
      held.consumer.setMessageListener(listener);
      held.context.start();
    } else {
      held.connection.stop();
      Sessions.consumer(held, given);
      held.receiver.setMessageListener(listener);
      held.connection.start();
    }
    return null;
  }

  private static void end(Sessions.Held held, boolean commit) throws JMSException {
    if (held.context != null && commit) {
      held.context.commit();
    } else if (held.context != null) {
      held.context.rollback();
    } else if (commit) {
      held.session.commit();
    } else {
      held.session.rollback();
    }
  }

  /** The next so many deliveries, or those that came in time; then a moment for one too many. */
  private static Object heard(Programs.Given given) throws InterruptedException {
    BlockingQueue<Map<String, Object>> heard = HEARD.get(given.text("id", "one"));
    List<Map<String, Object>> seen = new ArrayList<>();
    long until = System.currentTimeMillis() + given.number("wait", 10_000);
    while (seen.size() < given.number("count", 1)) {
      long left = until - System.currentTimeMillis();
      Map<String, Object> one = left > 0 ? heard.poll(left, TimeUnit.MILLISECONDS) : null;
      if (one == null) {
        return seen;
      }
      seen.add(one);
    }
    Map<String, Object> more = heard.poll(given.number("quiet", 50), TimeUnit.MILLISECONDS);
    if (more != null) {
      seen.add(more);
    }
    return seen;
  }

  /** What the ExceptionListener is told next; null if nothing in time. */
  private static Object told(Programs.Given given) throws InterruptedException {
    BlockingQueue<Map<String, Object>> told = TOLD.get(given.text("id", "one"));
    return told.poll(given.number("wait", 30_000), TimeUnit.MILLISECONDS);
  }

  private static Object stop(Programs.Given given) throws JMSException {
    Sessions.Held held = Sessions.held(given);
    if (held.context != null) {
      held.context.stop();
    } else {
      held.connection.stop();
    }
    return null;
  }

  private static Object go(Programs.Given given) throws JMSException {
    Sessions.Held held = Sessions.held(given);
    if (held.context != null) {
      held.context.start();
    } else {
      held.connection.start();
    }
    return null;
  }

  /** Two listeners of one transacted session; the first "again" is rolled back, all else commits. */
  private static Object twoListeners(Programs.Given given) throws Exception {
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    try (Connection connection = Sessions.factory(given).createConnection()) {
      Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
      for (String queue : given.text("from").split(",")) {
        session.createConsumer(session.createQueue(queue)).setMessageListener(
            message -> {
              try {
                String text = ((TextMessage) message).getText();
                if (text.startsWith("again") && !message.getJMSRedelivered()) {
                  session.rollback();
                } else {
                  session.commit();
                }
                heard.add(text + (message.getJMSRedelivered() ? " redelivered" : ""));
              } catch (JMSException thrown) {
                heard.add(thrown.toString());
              }
            });
      }
      connection.start();
      return texts(heard, given.whole("count", 1));
    }
  }

  static List<String> texts(BlockingQueue<String> heard, int count) throws InterruptedException {
    List<String> texts = new ArrayList<>();
    for (String text = heard.poll(10, TimeUnit.SECONDS); text != null; ) {
      texts.add(text);
      text = heard.poll(texts.size() < count ? 10_000 : 100, TimeUnit.MILLISECONDS);
    }
    return texts;
  }

  /** One ServerSession whose listener rolls "poison" back, as an application server's pool does. */
  private static Object connectionConsumer(Programs.Given given) throws Exception {
    BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    try (Connection connection = Sessions.factory(given).createConnection()) {
      Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
      session.setMessageListener(
          message -> {
            try {
              String text = ((TextMessage) message).getText();
              if (text.startsWith("poison")) {
                session.rollback();
              } else {
                session.commit();
              }
              heard.add(text);
            } catch (JMSException thrown) {
              heard.add(thrown.toString());
            }
          });
      BlockingQueue<ServerSession> free = new LinkedBlockingQueue<>();
      free.add(
          new ServerSession() {
            @Override
            public Session getSession() {
              return session;
            }

            @Override
            public void start() {
              new Thread(
                  () -> {
                    session.run();
                    free.add(this);
                  }).start();
            }
          });
      ServerSessionPool pool = () -> {
        try {
          return free.take();
        } catch (InterruptedException thrown) {
          throw new IllegalStateException(thrown);
        }
      };
      ConnectionConsumer consumer = connection.createConnectionConsumer(
          session.createQueue(given.text("from")), null, pool, 1);
      connection.start();
      List<String> texts = texts(heard, given.whole("count", 1));
      consumer.close();
      return texts;
    }
  }
}
