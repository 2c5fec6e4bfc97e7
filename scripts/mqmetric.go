// A collector with mqmetric: discover, subscribe, put a message, and read what is published of it.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/ibm-messaging/mq-golang/v5/ibmmq"
	"github.com/ibm-messaging/mq-golang/v5/mqmetric"
)

const metric = "mqput_mqput1_count"

func must(what string, err error) {
	if err != nil {
		fmt.Printf("MQ call failed: %s: %v\n", what, err)
		os.Exit(1)
	}
}

func main() {
	name, queue := os.Args[1], os.Args[2]
	configuration := mqmetric.ConnectionConfig{
		ClientMode: true, UsePublications: true, UseStatus: true, WaitInterval: 3,
	}
	must("InitConnection",
		mqmetric.InitConnection(name, "SYSTEM.DEFAULT.MODEL.QUEUE", "", &configuration))
	defer mqmetric.EndConnection()
	queues := mqmetric.DiscoverObject{ObjectNames: queue, UseWildcard: true}
	must("DiscoverAndSubscribe",
		mqmetric.DiscoverAndSubscribe(mqmetric.DiscoverConfig{MonitoredQueues: queues}))
	_, err := mqmetric.VerifyConfig()
	must("VerifyConfig", err)
	mqmetric.QueueInitAttributes()
	mqmetric.QueueManagerInitAttributes()
	must("ProcessPublications", mqmetric.ProcessPublications())
	put(name, queue)
	time.Sleep(11 * time.Second)
	must("ProcessPublications", mqmetric.ProcessPublications())
	must("CollectQueueStatus", mqmetric.CollectQueueStatus(queue))
	must("CollectQueueManagerStatus", mqmetric.CollectQueueManagerStatus())
	if value := published(queue); value != 1 {
		fmt.Printf("MQ call failed: %s of %s is %d\n", metric, queue, value)
		os.Exit(1)
	}
}

func put(name string, queue string) {
	options := ibmmq.NewMQCNO()
	options.Options = ibmmq.MQCNO_CLIENT_BINDING
	connection, err := ibmmq.Connx(name, options)
	must("Connx", err)
	object, how := ibmmq.NewMQOD(), ibmmq.NewMQPMO()
	object.ObjectName, how.Options = queue, ibmmq.MQPMO_NO_SYNCPOINT
	must("Put1", connection.Put1(object, ibmmq.NewMQMD(), how, []byte("counted")))
	must("Disc", connection.Disc())
}

func published(queue string) int64 {
	for _, class := range mqmetric.GetPublishedMetrics("").Classes {
		for _, kind := range class.Types {
			for _, element := range kind.Elements {
				if class.Name == "STATQ" && element.MetricName == metric {
					return element.Values[queue]
				}
			}
		}
	}
	return -1
}
