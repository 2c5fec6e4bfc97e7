import jakarta.jms.Connection;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Queue;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Producers, transacted listeners that roll back at random, and receivers, on one queue. */
final class Soak {
  private static final int PRODUCERS = 4;
  private static final int LISTENERS = 3;
  private static final int RECEIVERS = 2;
  private static final int ROLLED_BACK_IN_10 = 2;

  private final Programs.Given given;
  private final int count;
  private final Random seeds;
  private final CountDownLatch done;
  private final ConcurrentHashMap<String, Integer> seen = new ConcurrentHashMap<>();
  private final AtomicInteger rolledBack = new AtomicInteger();
  private final AtomicReference<Throwable> thrown = new AtomicReference<>();

  private Soak(Programs.Given given) {
    this.given = given;
    this.count = given.whole("count", 1000);
    this.seeds = new Random(given.number("seed", 1));
    this.done = new CountDownLatch(count);
  }

  static void add() {
    Programs.add("soak", given -> new Soak(given).run());
  }

  /** How often each message was committed by whoever got it, and how many were rolled back. */
  private Object run() throws Exception {
    List<Thread> threads = new ArrayList<>();
    try (Connection connection = Sessions.factory(given).createConnection()) {
      connection.setExceptionListener(thrown::set);
      for (int number = 0; number < LISTENERS; number++) {
        listen(connection, new Random(seeds.nextLong()));
      }
      connection.start();
      for (int number = 0; number < RECEIVERS; number++) {
        Random random = new Random(seeds.nextLong());
        threads.add(begun(() -> receive(connection, random)));
      }
      for (int number = 0; number < PRODUCERS; number++) {
        int first = number;
        threads.add(begun(() -> produce(connection, first)));
      }
      boolean complete = done.await(given.number("seconds", 30), TimeUnit.SECONDS);
      for (Thread thread : threads) {
        thread.join(10_000);
      }
      if (thrown.get() != null) {
        throw new IllegalStateException(thrown.get());
      }
      int doubled = 0;
      for (int times : seen.values()) {
        doubled += times > 1 ? 1 : 0;
      }
      return List.of(complete, seen.size(), doubled, rolledBack.get());
    }
  }

  private interface Work {
    void run() throws Exception;
  }

  private Thread begun(Work work) {
    Thread thread = new Thread(() -> {
      try {
        work.run();
      } catch (Exception problem) {
        thrown.set(problem);
      }
    });
    thread.start();
    return thread;
  }

  private Queue queue(Session session) throws JMSException {
    return session.createQueue("queue:///" + given.text("to"));
  }

  private void produce(Connection connection, int first) throws JMSException {
    boolean transacted = first % 2 == 0;
    try (Session session = connection.createSession(transacted, Session.AUTO_ACKNOWLEDGE)) {
      MessageProducer producer = session.createProducer(queue(session));
      for (int number = first; number < count; number += PRODUCERS) {
        producer.send(session.createTextMessage("number " + number));
        if (transacted) {
          session.commit();
        }
      }
    }
  }

  private void listen(Connection connection, Random random) throws JMSException {
    Session session = connection.createSession(true, Session.SESSION_TRANSACTED);
    session.createConsumer(queue(session)).setMessageListener(message -> {
      try {
        end(session, message, random);
      } catch (JMSException problem) {
        thrown.set(problem);
      }
    });
  }

  private void receive(Connection connection, Random random) throws JMSException {
    try (Session session = connection.createSession(true, Session.SESSION_TRANSACTED)) {
      MessageConsumer consumer = session.createConsumer(queue(session));
      while (done.getCount() > 0 && thrown.get() == null) {
        Message message = consumer.receive(200);
        if (message != null) {
          end(session, message, random);
        }
      }
    }
  }

  private void end(Session session, Message message, Random random) throws JMSException {
    if (random.nextInt(10) < ROLLED_BACK_IN_10) {
      rolledBack.incrementAndGet();
      session.rollback();
      return;
    }
    session.commit();
    seen.merge(((TextMessage) message).getText(), 1, Integer::sum);
    done.countDown();
  }
}
