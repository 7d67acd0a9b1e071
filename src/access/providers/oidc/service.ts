/** Loaded when the first connection of this kind is used. */
export { oidcProtocol } from './protocol.ts'
