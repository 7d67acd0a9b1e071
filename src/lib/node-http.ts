/**
 * Exports `node:http` for modules that are loaded at the start. An `import` reads every member, including getters such
 * as `WebSocket`, for which Node loads its whole client: 16 MB and 40 ms (Node 26) that no server needs. Types may be
 * imported as usual.
 */

export const { Agent, createServer, METHODS, request, STATUS_CODES } = process.getBuiltinModule('node:http')
