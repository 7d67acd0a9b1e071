/** What the build of the server changes beyond putting modules together. */
import { isBuiltin } from 'node:module'
import { join, relative } from 'node:path'
import type { Plugin } from 'rolldown'

const mark = '\0builtin:'

/**
 * Takes the modules of Node from process.getBuiltinModule. For an import, Node reads every property of the module, and so loads the whole Web
 * Cryptography API for node:crypto, and streams for node:fs: a sixth of the start, in each thread.
 */
export const builtinsWithoutImport: Plugin = {
  name: 'builtins-without-import',
  resolveId(id, importer, { kind }) {
    // The bundler's own helpers come before everything else.
    if (!isBuiltin(id) || kind === 'dynamic-import' || importer?.startsWith('\0')) return undefined
    const name = id.replace(/^node:/, '')
    if (kind === 'require-call') return { id: `${mark}require:${name}`, moduleSideEffects: false }
    // One for each importing module: a shared one would become a file of its own.
    return { id: `${mark}import:${name}:${importer}`, moduleSideEffects: false }
  },
  load(id) {
    if (!id.startsWith(mark)) return undefined
    const [kind, name] = id.slice(mark.length).split(':')
    const module = `process.getBuiltinModule('node:${name}')`
    if (kind === 'require') return `module.exports = ${module}`
    // One constant for each name: those that no source imports are dropped from the build.
    const names = Object.keys(process.getBuiltinModule(`node:${name}`) ?? {}).filter((key) => /^[A-Za-z]\w*$/.test(key))
    const constants = names
      .filter((key) => key !== 'default')
      .map((key) => `const the_${key} = /* @__PURE__ */ (() => all.${key})()\nexport { the_${key} as ${key} }`)
    return [`const all = ${module}`, 'export default all', ...constants].join('\n')
  },
}

/** Writes other characters as escapes: V8 keeps a text in memory with two bytes for each character if one is beyond Latin-1. */
export const asciiText: Plugin = {
  name: 'ascii-text',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue
      const raw = /\braw`[^`]*[\u0080-\uffff][^`]*`/.exec(chunk.code)
      if (raw) throw new Error(`${chunk.fileName} has a raw text with other characters than ASCII: ${raw[0]}`)
      chunk.code = chunk.code.replaceAll(/[\u0080-\uffff]/g, (character) => {
        return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
      })
    }
  },
}

/** `main` finds the server in the part that was built for it. */
export const serveApart: Plugin = {
  name: 'serve-apart',
  resolveId(id, _importer, { kind }) {
    if (kind === 'dynamic-import' && id.endsWith('/host/serve.ts')) return { id: './serve.js', external: true }
    return undefined
  },
}

/** `rollbook/server` and `rollbook/verify` share their modules, so that a VerifyError of one is a VerifyError of the other. */
export const verifyApart = (root: string): Plugin => ({
  name: 'verify-apart',
  async resolveId(id, importer, options) {
    const resolved = await this.resolve(id, importer, { ...options, skipSelf: true })
    const path = relative(join(root, 'src/sdk'), resolved?.id ?? '')
    if (!path.startsWith('verify/')) return undefined
    return { id: `../dist/sdk/${path.replace(/\.ts$/, '.js')}`, external: true }
  },
})
