import type { IncomingMessage, ServerResponse } from "node:http"
import { service } from "../../../lib/almoner.ts"

export const config = { api: { externalResolver: true } }

/** The API as a page route, whose parser is on. */
export default async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  request.url = request.url?.replace("/api/read", "")
  const { api } = await service()
  api.listener(request, response)
}
