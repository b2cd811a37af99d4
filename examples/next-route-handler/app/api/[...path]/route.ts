import { serve } from "almoner/http"
import { almoner } from "../../../lib/almoner.ts"

const { fetch: handle } = await serve(almoner)

export { handle as DELETE, handle as GET, handle as PATCH, handle as POST }
