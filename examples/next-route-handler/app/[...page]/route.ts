import { service } from "../../lib/almoner.ts"

/** The pages of donors, and whatever else no route of the host has: at an address of nothing there is 404. */
const handle = async (request: Request): Promise<Response> => {
  const { api } = await service()
  return api.fetch(request)
}

export { handle as GET, handle as HEAD, handle as POST }
