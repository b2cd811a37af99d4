import { describePages } from "./PageSuite.ts"

describePages({ javaScriptEnabled: false, looks: ["a phone in the light"], isWhole: false })
