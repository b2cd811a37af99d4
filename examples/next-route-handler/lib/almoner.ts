import { Almoner } from "almoner"
import { memory } from "almoner/memory"

/** One for the process. In production the backend is `postgres({ url })` of `almoner/postgres`. */
export const almoner = await Almoner.open({ backend: memory() })
