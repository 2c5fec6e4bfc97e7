import com.ibm.msg.client.jakarta.jms.JmsConnectionFactory;
import com.ibm.msg.client.jakarta.jms.JmsFactoryFactory;
import com.ibm.msg.client.jakarta.wmq.WMQConstants;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.JMSProducer;
import jakarta.jms.Queue;
import java.util.Scanner;
import java.util.concurrent.CyclicBarrier;

/** Put+get pairs, and connections, timed in one warm JVM: a line "KIND PORT THREADS COUNT" each. */
public class Pairs {
    static JmsConnectionFactory factory(int port) throws Exception {
        JmsFactoryFactory factories = JmsFactoryFactory.getInstance(WMQConstants.JAKARTA_WMQ_PROVIDER);
        JmsConnectionFactory factory = factories.createConnectionFactory();
        factory.setStringProperty(WMQConstants.WMQ_HOST_NAME, "127.0.0.1");
        factory.setIntProperty(WMQConstants.WMQ_PORT, port);
        factory.setStringProperty(WMQConstants.WMQ_CHANNEL, "DEV.APP.SVRCONN");
        factory.setStringProperty(WMQConstants.WMQ_QUEUE_MANAGER, "QM1");
        factory.setIntProperty(WMQConstants.WMQ_CONNECTION_MODE, WMQConstants.WMQ_CM_CLIENT);
        return factory;
    }

    static void pairs(JMSContext context, int deliveryMode, int count) {
        Queue queue = context.createQueue("queue:///DEV.QUEUE.1");
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
        JmsConnectionFactory factory = factory(port);
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
