/** Loaded when the first connection of this kind is used. */
export { samlProtocol } from './protocol.ts'
