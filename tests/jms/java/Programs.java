import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs one program for each line of standard input, and prints one line of its result.
 *
 * <p>A line is {@code name?key=value&key=value}, percent-encoded; its result is {@code RESULT ok
 * JSON}, or {@code RESULT fail JSON} with what was thrown. {@code start?of=NAME&...} runs a program
 * beside the others and {@code await} brings its result. What the client library itself prints goes
 * to standard error.
 */
public final class Programs {

  /** One program: what it is given, and what it hands back as JSON. */
  interface Program {
    Object run(Given given) throws Exception;
  }

  /** The arguments of a program. */
  static final class Given {
    private final Map<String, String> values;

    Given(Map<String, String> values) {
      this.values = values;
    }

    boolean has(String key) {
      return values.containsKey(key);
    }

    String text(String key) {
      if (!has(key)) {
        throw new IllegalArgumentException("no argument " + key);
      }
      return values.get(key);
    }

    String text(String key, String otherwise) {
      return values.getOrDefault(key, otherwise);
    }

    long number(String key, long otherwise) {
      return has(key) ? Long.parseLong(text(key)) : otherwise;
    }

    int whole(String key, int otherwise) {
      return (int) number(key, otherwise);
    }

    boolean flag(String key) {
      return has(key) && !text(key).equals("0");
    }

    /** The arguments whose names begin with a prefix, without it. */
    Map<String, String> below(String prefix) {
      Map<String, String> below = new LinkedHashMap<>();
      values.forEach(
          (key, value) -> {
            if (key.startsWith(prefix)) {
              below.put(key.substring(prefix.length()), value);
            }
          });
      return below;
    }
  }

  private static final long LIMIT_S = 40;
  private static final Map<String, Program> PROGRAMS = new LinkedHashMap<>();
  private static final ExecutorService WORKERS =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work);
            thread.setDaemon(true);
            return thread;
          });
  private static Future<Object> beside;

  private Programs() {}

  static void add(String name, Program program) {
    PROGRAMS.put(name, program);
  }

  public static void main(String[] arguments) throws Exception {
    PrintStream results = System.out;
    System.setOut(System.err);
    Sessions.add();
    Listening.add();
    Scenes.add();
    BaseClasses.add();
    Transactions.add();
    Soak.add();
    add("start", Programs::start);
    add("await", given -> await(given.number("seconds", LIMIT_S)));
    add("running", given -> beside != null && !beside.isDone());
    BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      results.println(answer(line));
      results.flush();
    }
    System.exit(0);
  }

  private static String answer(String line) {
    Thread[] runner = new Thread[1];
    String name = line.split("\\?", 2)[0];
    Given given = given(line);
    try {
      Program program = program(name);
      Future<Object> result =
          WORKERS.submit(
              () -> {
                runner[0] = Thread.currentThread();
                return program.run(given);
              });
      return "RESULT ok " + Json.of(result.get(LIMIT_S + 5, TimeUnit.SECONDS));
    } catch (TimeoutException late) {
      StringBuilder where = new StringBuilder(name + " takes too long, at");
      for (StackTraceElement element : runner[0].getStackTrace()) {
        where.append(' ').append(element);
      }
      return "RESULT fail " + Json.of(Map.of("class", "TooLong", "message", where.toString()));
    } catch (Exception thrown) {
      Throwable cause = thrown instanceof java.util.concurrent.ExecutionException
          ? thrown.getCause() : thrown;
      return "RESULT fail " + Json.of(Thrown.of(cause));
    }
  }

  private static Program program(String name) {
    Program program = PROGRAMS.get(name);
    if (program == null) {
      throw new IllegalArgumentException("no program " + name);
    }
    return program;
  }

  private static Given given(String line) {
    Map<String, String> values = new LinkedHashMap<>();
    String[] parts = line.split("\\?", 2);
    if (parts.length == 2 && !parts[1].isEmpty()) {
      for (String pair : parts[1].split("&")) {
        String[] sides = pair.split("=", 2);
        values.put(decoded(sides[0]), decoded(sides[1]));
      }
    }
    return new Given(values);
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  private static Object start(Given given) {
    Program program = program(given.text("of"));
    beside = WORKERS.submit(() -> program.run(given));
    return null;
  }

  private static Object await(long seconds) throws Exception {
    try {
      return beside.get(seconds, TimeUnit.SECONDS);
    } catch (java.util.concurrent.ExecutionException thrown) {
      throw thrown.getCause() instanceof Exception ? (Exception) thrown.getCause() : thrown;
    }
  }

  /** What a program threw: class, message, MQ's reason and all causes. */
  static final class Thrown {
    private Thrown() {}

    static Map<String, Object> of(Throwable thrown) {
      Map<String, Object> said = new LinkedHashMap<>();
      List<String> causes = new ArrayList<>();
      said.put("class", thrown.getClass().getSimpleName());
      said.put("message", String.valueOf(thrown.getMessage()));
      said.put("checked", !(thrown instanceof RuntimeException));
      said.put("reason", 0);
      said.put("code", "");
      if (thrown instanceof jakarta.jms.JMSException) {
        said.put("code", ((jakarta.jms.JMSException) thrown).getErrorCode());
      } else if (thrown instanceof jakarta.jms.JMSRuntimeException) {
        said.put("code", ((jakarta.jms.JMSRuntimeException) thrown).getErrorCode());
      }
      for (Throwable cause = thrown; cause != null; cause = next(cause)) {
        causes.add(cause.getClass().getSimpleName() + ": " + cause.getMessage());
        if (cause instanceof com.ibm.mq.MQException) {
          said.put("reason", ((com.ibm.mq.MQException) cause).reasonCode);
        }
        if (causes.size() > 20) {
          break;
        }
      }
      said.put("causes", causes);
      if (!(thrown instanceof jakarta.jms.JMSException)) {
        said.put("at", String.valueOf(thrown.getStackTrace().length > 0
            ? thrown.getStackTrace()[0] : ""));
      }
      return said;
    }

    private static Throwable next(Throwable thrown) {
      if (thrown instanceof jakarta.jms.JMSException) {
        Exception linked = ((jakarta.jms.JMSException) thrown).getLinkedException();
        if (linked != null) {
          return linked;
        }
      }
      return thrown.getCause() == thrown ? null : thrown.getCause();
    }
  }

  /** JSON of maps, lists, texts, numbers and truth values. */
  static final class Json {
    private Json() {}

    static String of(Object value) {
      if (value == null || value instanceof Number || value instanceof Boolean) {
        return String.valueOf(value);
      }
      StringBuilder text = new StringBuilder();
      if (value instanceof Map) {
        ((Map<?, ?>) value).forEach(
            (key, one) -> text.append(text.length() == 0 ? "{" : ", ")
                .append(quoted(key.toString())).append(": ").append(of(one)));
        return text.length() == 0 ? "{}" : text.append('}').toString();
      }
      if (value instanceof Iterable) {
        ((Iterable<?>) value).forEach(
            one -> text.append(text.length() == 0 ? "[" : ", ").append(of(one)));
        return text.length() == 0 ? "[]" : text.append(']').toString();
      }
      return quoted(value.toString());
    }

    private static String quoted(String text) {
      StringBuilder quoted = new StringBuilder("\"");
      for (char one : text.toCharArray()) {
        if (one == '"' || one == '\\') {
          quoted.append('\\').append(one);
        } else if (one < ' ' || one > '~') {
          quoted.append(String.format("\\u%04x", (int) one));
        } else {
          quoted.append(one);
        }
      }
      return quoted.append('"').toString();
    }
  }
}
