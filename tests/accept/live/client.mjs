// Foxglove's own client: node client.mjs URL COUNT TOPIC ...; 0 once COUNT messages of each topic have come.
import protocol from "@foxglove/ws-protocol";
import WebSocket from "ws";

const PATIENCE_MS = 120_000;
const [url, count, ...topics] = process.argv.slice(2);
const came = Object.fromEntries(topics.map((topic) => [topic, 0]));
const subscribed = new Map();
const end = (code) => {
  console.log(JSON.stringify(came));
  process.exit(code);
};
const protocols = [protocol.FoxgloveClient.SUPPORTED_SUBPROTOCOL, "foxglove.sdk.v1"].flat();
const client = new protocol.FoxgloveClient({ ws: new WebSocket(url, protocols) });

client.on("error", (error) => {
  console.error(error.message ?? error);
  process.exit(2);
});
client.on("advertise", (channels) => {
  for (const { id, topic } of channels) if (topic in came) subscribed.set(client.subscribe(id), topic);
});
client.on("message", ({ subscriptionId }) => {
  came[subscribed.get(subscriptionId)] += 1;
  if (Object.values(came).every((each) => each >= Number(count))) end(0);
});
setTimeout(() => end(1), PATIENCE_MS);
