/*
 * One case of the benchmarks in ARX 3.9 (https://arx.deidentifier.org), for `--arx JAR`.
 *
 * usage: javac -cp JAR -d FOLDER Arx.java
 *        java -cp JAR:FOLDER Arx SOURCE DELIMITER OUTPUT K LIMIT BETA COLUMN=HIERARCHY…
 * A column whose hierarchy is `-` is sensitive, with basic BETA-likeness. Others of the source are not
 * read: a dictionary of 10 million identifiers costs more than all the rest. Optimal search, loss by
 * the geometric mean, as the plans of sqlanon ask.
 */
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataSource;
import org.deidentifier.arx.DataType;
import org.deidentifier.arx.criteria.BasicBLikeness;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;
import org.deidentifier.arx.metric.Metric.AggregateFunction;

public class Arx {
    public static void main(String[] args) throws Exception {
        DataSource source = DataSource.createCSVSource(
            new File(args[0]), StandardCharsets.UTF_8, args[1].charAt(0), true);
        Map<String, String> hierarchies = new LinkedHashMap<>();
        for (int i = 6; i < args.length; i++) {
            int end = args[i].indexOf('=');
            hierarchies.put(args[i].substring(0, end), args[i].substring(end + 1));
            source.addColumn(args[i].substring(0, end), DataType.STRING);
        }
        Data data = Data.create(source);
        ARXConfiguration configuration = ARXConfiguration.create();
        configuration.addPrivacyModel(new KAnonymity(Integer.parseInt(args[3])));
        configuration.setSuppressionLimit(Double.parseDouble(args[4]));
        configuration.setQualityModel(Metric.createLossMetric(AggregateFunction.GEOMETRIC_MEAN));
        for (Map.Entry<String, String> column : hierarchies.entrySet()) {
            String name = column.getKey();
            if (column.getValue().equals("-")) {
                data.getDefinition().setAttributeType(name, AttributeType.SENSITIVE_ATTRIBUTE);
                configuration.addPrivacyModel(
                    new BasicBLikeness(name, Double.parseDouble(args[5])));
            } else {
                File file = new File(column.getValue());
                data.getDefinition().setAttributeType(
                    name, Hierarchy.create(file, StandardCharsets.UTF_8, ';'));
            }
        }
        ARXResult result = new ARXAnonymizer().anonymize(data, configuration);
        result.getOutput(false).save(new File(args[2]), args[1].charAt(0));
    }
}
