/** What other rooms may use. */
export { upgradeWebsocketsOnly } from './websocket.ts'
