import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSProducer;
import jakarta.jms.Queue;
import java.util.Scanner;
import java.util.concurrent.CyclicBarrier;

/**
 * Put+get pairs, and connections, timed in one warm JVM: a line "KIND PORT THREADS COUNT" each.
 *
 * The first argument is the class of the client, whose constructor takes the others.
 */
public class Pairs {
    interface Client {
        ConnectionFactory factory(int port) throws Exception;
    }

    private static Client client;

    static void pairs(JMSContext context, int deliveryMode, int count) {
        Queue queue = context.createQueue("DEV.QUEUE.1");
        JMSProducer producer = context.createProducer().setDeliveryMode(deliveryMode);
        try (JMSConsumer consumer = context.createConsumer(queue)) {
            for (int i = 0; i < count; i++) {
                producer.send(queue, "x");
                if (consumer.receive(5000) == null) {
                    throw new IllegalStateException("no message");
                }
            }
        }
    }

    static double seconds(String kind, int port, int threads, int count) throws Exception {
        ConnectionFactory factory = client.factory(port);
        long[] begun = new long[1];
        Exception[] thrown = new Exception[1];
        CyclicBarrier barrier = new CyclicBarrier(threads, () -> begun[0] = System.nanoTime());
        Thread[] running = new Thread[threads];
        for (int number = 0; number < threads; number++) {
            running[number] = new Thread(() -> {
                try {
                    if (kind.equals("connect")) {
                        barrier.await();
                        for (int i = 0; i < count; i++) {
                            try (JMSContext context = factory.createContext()) {
                                pairs(context, 1, 1);
                            }
                        }
                    } else {
                        try (JMSContext context = factory.createContext()) {
                            barrier.await();
                            pairs(context, kind.equals("persistent") ? 2 : 1, count);
                        }
                    }
                } catch (Exception e) {
                    thrown[0] = e;
                }
            });
            running[number].start();
        }
        for (Thread thread : running) {
            thread.join();
        }
        if (thrown[0] != null) {
            throw thrown[0];
        }
        return (System.nanoTime() - begun[0]) / 1e9;
    }

    public static void main(String[] args) throws Exception {
        client = (Client) Class.forName(args[0]).getConstructor(String[].class)
            .newInstance((Object) args);
        Scanner lines = new Scanner(System.in);
        while (lines.hasNextLine()) {
            String[] words = lines.nextLine().split(" ");
            int threads = Integer.parseInt(words[2]);
            int count = Integer.parseInt(words[3]);
            double seconds = seconds(words[0], Integer.parseInt(words[1]), threads, count);
            System.out.printf("RATE %.1f%n", threads * count / seconds);
            System.out.flush();
        }
    }
}
