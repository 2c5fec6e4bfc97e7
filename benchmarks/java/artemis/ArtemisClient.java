import jakarta.jms.ConnectionFactory;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;

/** ActiveMQ Artemis in this JVM, over TCP; arguments: folder and port. */
public class ArtemisClient implements Pairs.Client {
    public ArtemisClient(String[] args) throws Exception {
        Configuration configuration = new ConfigurationImpl()
            .setSecurityEnabled(false)
            .setJournalType(JournalType.NIO)
            .setJournalDirectory(args[1] + "/journal")
            .setBindingsDirectory(args[1] + "/bindings")
            .setPagingDirectory(args[1] + "/paging")
            .setLargeMessagesDirectory(args[1] + "/large")
            .addAcceptorConfiguration("tcp", "tcp://127.0.0.1:" + args[2]);
        new EmbeddedActiveMQ().setConfiguration(configuration).start();
    }

    @Override
    public ConnectionFactory factory(int port) {
        return new ActiveMQConnectionFactory("tcp://127.0.0.1:" + port);
    }
}
