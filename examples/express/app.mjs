import { serve } from "almoner/http"
import { pagePaths, pages } from "almoner/pages"
import express from "express"

/** What a failure of the library is in this host's own API. */
const statuses = { InvalidInput: 422, MalformedInput: 400, Forbidden: 403 }

/**
 * An Express host with routes of its own under `/gifts`, for whom its own sign-in knows, and the whole HTTP API of the
 * service under `/api/v1`, for who has an API key. `userOf` is the host's sign-in.
 */
export const appOf = async (almoner, userOf) => {
  const app = express()
  const api = await serve(almoner, { pages })

  // Payment processors send their notices to /processors. The rest are the pages of donors.
  app.use(["/api/v1", "/processors", ...pagePaths], (request, response) => {
    request.url = request.originalUrl
    return api.listener(request, response)
  })

  app.post("/gifts", express.json(), async (request, response) => {
    const user = userOf(request.get("authorization"))
    if (user === undefined) return response.status(401).end()
    const caller = await almoner.caller(user)
    const outcome = await almoner.as(caller).donations.create(request.body).outcome()
    if (outcome.ok) return response.status(201).json(outcome.value)
    response.status(statuses[outcome.failure._tag] ?? 500).json({ error: outcome.failure._tag })
  })

  return app
}
