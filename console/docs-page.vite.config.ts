/** The build of the docs page: one script and one style sheet, for any prefix. */
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const root = import.meta.dirname

export default defineConfig({
  root,
  base: './',
  resolve: { alias: { 'rollbook/client': join(root, '../src/sdk/client/index.ts') } },
  plugins: [react()],
  build: {
    outDir: 'dist/docs-page',
    emptyOutDir: true,
    target: 'es2023',
    // No inline data: the page's policy allows only fonts and scripts of this server.
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
    rolldownOptions: {
      input: join(root, 'docs-page.html'),
      // The server puts a hash into the folder: in a rolling upgrade, the page of one release may ask a server of the other.
      output: { entryFileNames: 'assets/docs-page.js', assetFileNames: 'assets/[name][extname]' },
      checks: { pluginTimings: false },
    },
    license: { fileName: 'licenses.md' },
  },
})
