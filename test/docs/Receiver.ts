import { spawn } from "node:child_process"
import { once } from "node:events"
import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import { freePort } from "../e2e/Almoner.ts"

const body = JSON.stringify({
  type: "donor.created",
  occurred_at: "2026-04-01T00:00:00.000Z",
  organisation_id: "org_1",
  data: { id: "dnr_1", first_name: "Zoë" }
})

/** What a program that receives webhooks answers to a delivery, to the same again, and to two that are forged. */
export const deliverTo = async (program: string, env: Readonly<Record<string, string>> = {}) => {
  const port = await Effect.runPromise(freePort)
  const secret = "almwh_0123456789ABCDEFGHIJ0123456789ABCDEFGHIJ"
  const receiver = spawn(process.execPath, [program], {
    env: { ...env, PORT: `${port}`, WEBHOOK_SECRET: secret },
    stdio: ["ignore", "pipe", "inherit"]
  })
  let printed = ""
  receiver.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text
  })
  const ended = once(receiver, "close")
  const post = async (key: string, sent = body): Promise<number> => {
    const at = new Date()
    const headers = {
      "webhook-id": "dlv_1",
      "webhook-timestamp": `${Math.floor(at.getTime() / 1_000)}`,
      "webhook-signature": new Webhook(Buffer.from(key, "utf8").toString("base64")).sign("dlv_1", at, body)
    }
    return (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body: sent })).status
  }
  const listens = () =>
    fetch(`http://127.0.0.1:${port}`, { method: "POST" }).then(
      () => true,
      () => false
    )
  while (!(await listens())) await new Promise((resolve) => setTimeout(resolve, 20))
  const statuses = [await post(secret), await post(secret), await post(secret, `${body} `), await post("another")]
  receiver.kill("SIGTERM")
  const [status] = await ended
  return { statuses, printed, status }
}
