// The store on the operators' page: its primaries and replicas, and what the gateway that serves the page noticed of it.

import { h } from "./dom.js";
import { counted } from "./ops-confirm.js";
import { row, table } from "./ops-table.js";

const MIB = 1024 * 1024;
const megabytes = (bytes) => `${(bytes / MIB).toFixed(1)} MiB`;
const memory = (server) =>
  megabytes(server.memory) + (server.memory_limit ? ` of ${megabytes(server.memory_limit)}` : "");

/** The elements of the section. */
export function storeParts(store) {
  const noticed = [
    counted(store.failovers, "failover"),
    counted(store.reconnects, "reconnect"),
    ...(store.topology === "cluster"
      ? [counted(store.slots_moved, "moved slot"), counted(store.redirections, "redirection")]
      : []),
  ];
  const wanted = store.replicas_wanted ? `, ${counted(store.replicas_wanted, "replica")} of each move` : "";
  return [
    h("h2", {}, "Store"),
    h(
      "p",
      { class: "quiet" },
      `${store.topology}, ${store.durability}${wanted}. This gateway saw ${noticed.join(", ")}.`,
    ),
    store.error
      ? h("p", { class: "wrong", role: "status" }, store.error)
      : table(["Server", "Role", "Partitions", "Memory", "Clients", "Behind"], store.servers.flatMap(rows)),
  ];
}

function rows(server) {
  const replicas = server.replicas.map((one) =>
    row(
      { "data-server": one.address },
      one.address,
      `replica of ${server.address}`,
      "–",
      "–",
      "–",
      `${one.behind} B, ${one.lag_s} s`,
    ),
  );
  const primary = row(
    { "data-server": server.address },
    server.address,
    "primary",
    server.partitions,
    memory(server),
    server.clients,
    "–",
  );
  return [primary, ...replicas];
}
