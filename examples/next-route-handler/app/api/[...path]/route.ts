import { service } from "../../../lib/almoner.ts"

/** Each method as Next calls it. HEAD and OPTIONS, too, which Next would answer by itself. */
const handle = async (request: Request): Promise<Response> => {
  const { api } = await service()
  return api.fetch(request)
}

export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT
}
