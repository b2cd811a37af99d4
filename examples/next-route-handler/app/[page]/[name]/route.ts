import { service } from "../../../lib/almoner.ts"

/** The pages of donors: `/f/…`, `/g/…`, `/c/…` and `/p/…`. At any other address of this form there is nothing. */
const handle = async (request: Request): Promise<Response> => {
  const { api } = await service()
  return api.fetch(request)
}

export { handle as GET, handle as HEAD, handle as POST }
