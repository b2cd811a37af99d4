/** What every mounted host of the battery has: a service in memory, a key, the line that says where it listens, a stop. */
import process from "node:process"
import { Almoner } from "almoner"
import { verifyWebhook } from "almoner/client"
import { memory } from "almoner/memory"
import { pagePaths } from "almoner/pages"
import { sandboxIn } from "./sandbox.mjs"

/** The secret of the deliveries that the battery signs. */
const secret = "whsec_of_the_battery"

/** What a webhook's receiver answers: 204, 400 with the reason, or 500 where the host gave it a parsed body. */
export const received = async ({ body, headers }) => {
  try {
    const outcome = await verifyWebhook({ body, headers, secret }).outcome()
    return outcome.ok ? { status: 204, text: null } : { status: 400, text: outcome.failure.reason }
  } catch (error) {
    return { status: 500, text: error.message }
  }
}

/** Opens a service, has it listened for, and says where; SIGTERM closes the server, then the service. */
export const run = async (listen, doors = { parsed: ["/parsed"], kept: ["/kept"] }) => {
  const almoner = await Almoner.open({ backend: memory() })
  const { key, notice, page } = await sandboxIn(almoner)
  const { close, port } = await listen(almoner)
  process.once("SIGTERM", async () => {
    await close()
    await almoner.close()
  })
  // Deno's shutdown cuts off bodies that are still on their way: the client is told to send the request again.
  const lastStatus = "Deno" in globalThis ? 400 : 201
  console.log(JSON.stringify({ port, key, notice, page, doors, lastStatus }))
}

/** Listens with a server of `node:http`. */
export const listening = (server) =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () =>
      resolve({ port: server.address().port, close: () => new Promise((done) => server.close(done)) })
    )
  })

/** Whether a path is one that the service answers by itself. */
export const isServed = (path) =>
  ["/api/v1", "/processors", ...pagePaths].some((own) => path === own || path.startsWith(`${own}/`))

/** The path beneath a door of the host's. */
export const beneath = (url, door) => url.slice(door.length)
