"""Message dump files: what dmpmqmsg, qload and amqsbcg write."""
