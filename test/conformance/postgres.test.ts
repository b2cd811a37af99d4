import { layerFresh } from "../support/FreshDatabase.ts"
import { conformanceOn } from "./Databases.ts"

conformanceOn({ name: "PostgreSQL, server", client: layerFresh, serial: false })
