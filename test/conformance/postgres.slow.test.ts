import * as EmbeddedDatabase from "../../src/adapters/postgres/embedded/EmbeddedDatabase.ts"
import { layerFresh } from "../support/FreshDatabase.ts"
import { conformanceOn } from "./Databases.ts"

conformanceOn({ name: "PostgreSQL, embedded", client: EmbeddedDatabase.layerMemory, serial: true })
// A schema of its own leaves that of the sessions empty: a name that is looked for there is not found.
conformanceOn({ name: "PostgreSQL, server, a schema", client: layerFresh, serial: false, schema: "Almoner-2" })
