/** Requests that pass through to the product. */
export { upgradeWebsocketsOnly } from './websocket.ts'
