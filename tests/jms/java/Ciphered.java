import java.io.FileInputStream;
import java.io.InputStream;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/** Sockets in TLS that trust one server, and show a certificate if they have one. */
final class Ciphered {
  private static final char[] SECRET = "secret".toCharArray();

  private Ciphered() {}

  static SSLSocketFactory sockets(Programs.Given given) {
    try {
      KeyStore trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      try (InputStream pem = new FileInputStream(given.text("trust"))) {
        trusted.setCertificateEntry(
            "server", CertificateFactory.getInstance("X.509").generateCertificate(pem));
      }
      TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
      trust.init(trusted);
      KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
      KeyStore own = KeyStore.getInstance("PKCS12");
      own.load(null, null);
      if (given.has("key")) {
        try (InputStream file = new FileInputStream(given.text("key"))) {
          own.load(file, SECRET);
        }
      }
      keys.init(own, SECRET);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
      return context.getSocketFactory();
    } catch (GeneralSecurityException | java.io.IOException error) {
      throw new IllegalStateException(error);
    }
  }
}
