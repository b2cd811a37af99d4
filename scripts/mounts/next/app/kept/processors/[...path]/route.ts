export { POST } from "../../api/[...path]/route.ts"
