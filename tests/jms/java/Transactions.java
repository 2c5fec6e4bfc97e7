import jakarta.jms.JMSException;
import jakarta.jms.TextMessage;
import jakarta.jms.XAConnection;
import jakarta.jms.XASession;
import java.util.ArrayList;
import java.util.List;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** XA: branches of global transactions, as a transaction manager drives them. */
final class Transactions {

  /** A transaction branch of ours. */
  private static final class Branch implements Xid {
    private final byte[] global;

    Branch(String name) {
      this.global = name.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    }

    @Override
    public int getFormatId() {
      return 4242;
    }

    @Override
    public byte[] getGlobalTransactionId() {
      return global.clone();
    }

    @Override
    public byte[] getBranchQualifier() {
      return new byte[] {1};
    }
  }

  private Transactions() {}

  static void add() {
    Programs.add("xa-send", Transactions::send);
    Programs.add("xa-receive", Transactions::receive);
    Programs.add("xa-recover", Transactions::recover);
  }

  /** Sends in a branch, which then is prepared, committed, rolled back, as asked. */
  private static Object send(Programs.Given given) throws Exception {
    try (XAConnection connection = Sessions.xaFactory(given).createXAConnection()) {
      XASession session = connection.createXASession();
      XAResource resource = session.getXAResource();
      Branch branch = new Branch(given.text("branch", "branch"));
      resource.start(branch, XAResource.TMNOFLAGS);
      session.createProducer(session.createQueue(given.text("to")))
          .send(session.createTextMessage(given.text("text", "hello")));
      resource.end(branch, XAResource.TMSUCCESS);
      finish(resource, branch, given.text("end", "commit"));
      return null;
    }
  }

  private static void finish(XAResource resource, Branch branch, String end) throws XAException {
    switch (end) {
      case "one-phase":
        resource.commit(branch, true);
        return;
      case "rollback":
        resource.rollback(branch);
        return;
      case "prepare":
        resource.prepare(branch);
        return;
      default:
        resource.prepare(branch);
        resource.commit(branch, false);
    }
  }

  /** Receives in a branch. */
  private static Object receive(Programs.Given given) throws Exception {
    try (XAConnection connection = Sessions.xaFactory(given).createXAConnection()) {
      XASession session = connection.createXASession();
      connection.start();
      XAResource resource = session.getXAResource();
      Branch branch = new Branch(given.text("branch", "branch"));
      resource.start(branch, XAResource.TMNOFLAGS);
      TextMessage message = (TextMessage) session.createConsumer(
          session.createQueue(given.text("from"))).receive(given.number("wait", 2000));
      resource.end(branch, XAResource.TMSUCCESS);
      finish(resource, branch, given.text("end", "commit"));
      return message == null ? null : message.getText();
    }
  }

  /** The branches in doubt, each of which is committed or rolled back. */
  private static Object recover(Programs.Given given) throws JMSException, XAException {
    try (XAConnection connection = Sessions.xaFactory(given).createXAConnection()) {
      XAResource resource = connection.createXASession().getXAResource();
      List<String> names = new ArrayList<>();
      for (Xid xid : resource.recover(XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN)) {
        names.add(new String(xid.getGlobalTransactionId(),
            java.nio.charset.StandardCharsets.US_ASCII));
        if (given.text("end", "commit").equals("commit")) {
          resource.commit(xid, false);
        } else {
          resource.rollback(xid);
        }
      }
      return names;
    }
  }
}
