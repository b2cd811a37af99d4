import * as StatementMarkup from "../../src/adapters/processors/bank/StatementMarkup.ts"
import * as Conformance from "../../src/testing/Conformance.ts"
import { statementFiles, statementText } from "./Adapters.ts"

Conformance.statementMarkup("sax", { layer: StatementMarkup.layer, runs: 100 })
Conformance.statementContent("the content itself", statementText)
Conformance.statementContent("files of the machine", statementFiles)
