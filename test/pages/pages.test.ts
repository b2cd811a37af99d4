import { describePages } from "./PageSuite.ts"

describePages({ javaScriptEnabled: false, looks: ["with scripts"], isWhole: false })
