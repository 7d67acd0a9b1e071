/** Requests that pass through to the product. */
export { gateway } from './gateway.ts'
export { upgradeWebsocketsOnly } from './websocket.ts'
