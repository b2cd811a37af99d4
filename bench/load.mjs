/**
 * A load generator in a process of its own, over autocannon. It is sent one task
 * `{ url, paths, method, headers, bodies, texts, connections, seconds, amount, perSecond, keyed, noticesTo, fromMany }` and answers
 * `{ perSecond, p50Millis, p99Millis, total, failed, answers }`, where `failed` counts answers other than 2xx, errors and
 * timeouts, and `answers` the answers of each status. `amount` is a number of requests instead of `seconds`, `perSecond` a rate to keep to; the requests take
 * turns with the bodies, or with the texts as they are, and with the paths where there are any. With `keyed`, every request
 * carries an Idempotency-Key that no other request has. `{turn}` in a body is a text of its own for each request. With
 * `fromMany` each comes from another client address, as a proxy tells it. With `noticesTo`, the id of an integration, each body is signed as the test processor signs its notices.
 */
import { randomUUID } from "node:crypto"
import { autocannon } from "./Autocannon.mjs"
import { signatureOf } from "./TestNotice.mjs"

const load = await autocannon()

const run = (task) => {
  const { amount, bodies, connections, headers, fromMany, keyed = false, method = "GET", noticesTo } = task
  const { paths, perSecond, seconds, url } = task
  const prefix = randomUUID()
  const texts = task.texts ?? bodies?.map((body) => JSON.stringify(body))
  let count = 0
  const vary = (request) => {
    const turn = count++
    const body = texts?.[turn % texts.length].replaceAll("{turn}", `${prefix}-${turn}`)
    return {
      ...request,
      ...(paths === undefined ? {} : { path: paths[turn % paths.length] }),
      ...(body === undefined ? {} : { body }),
      headers: {
        ...request.headers,
        ...(keyed ? { "idempotency-key": `${prefix}-${turn}` } : {}),
        ...(fromMany ? { "x-forwarded-for": `10.${(turn >> 16) & 255}.${(turn >> 8) & 255}.${turn & 255}` } : {}),
        ...(noticesTo === undefined ? {} : signatureOf(noticesTo, body))
      }
    }
  }
  return load({
    url,
    method,
    connections,
    headers,
    ...(amount === undefined ? { duration: seconds } : { amount }),
    ...(perSecond === undefined ? {} : { overallRate: perSecond }),
    requests: [keyed || (texts ?? paths) !== undefined ? { setupRequest: vary } : {}]
  })
}

process.once("message", async (task) => {
  const result = await run(task)
  process.send(
    {
      perSecond: result.requests.average,
      p50Millis: result.latency.p50,
      p99Millis: result.latency.p99,
      total: result["2xx"],
      failed: result.non2xx + result.errors + result.timeouts,
      answers: Object.fromEntries(Object.entries(result.statusCodeStats).map(([status, { count }]) => [status, count]))
    },
    () => process.disconnect()
  )
})
