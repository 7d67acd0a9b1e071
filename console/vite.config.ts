/** The build of the console: files for any prefix, with names that change with their content. */
import { join } from 'node:path'
import { lingui } from '@lingui/vite-plugin'
import react from '@vitejs/plugin-react'
import postcssPresetMantine from 'postcss-preset-mantine'
import { defineConfig } from 'vite'

const root = import.meta.dirname
// In development the dev server takes the place of the service.
const basePath = process.env.ROLLBOOK_BASE_PATH ?? '/auth'

export default defineConfig(({ command }) => ({
  root,
  // Relative to the <base> that the server writes.
  base: command === 'build' ? './' : `${basePath}/console/`,
  resolve: { alias: { 'rollbook/client': join(root, '../src/sdk/client/index.ts') } },
  plugins: [
    lingui({ macroTransform: true, failOnCompileError: true, configPath: join(root, 'lingui.config.ts') }),
    react(),
    {
      name: 'base-of-development',
      apply: 'serve',
      transformIndexHtml: (html) =>
        html.replace(
          '<!--rollbook-head-->',
          `<base href="${basePath}/console/"><meta name="language-cookie" content="rollbook-language"><meta name="mail-locale" content="en">`,
        ),
    },
    {
      // The boot skeleton has its CSS inline, so it paints before the style sheets arrive.
      name: 'paint-first',
      apply: 'build',
      transformIndexHtml: {
        order: 'post',
        handler(html) {
          const [link = ''] = /\s*<link rel="stylesheet"[^>]*>/.exec(html) ?? []
          return html.replace(link, '').replace('</body>', `${link.trim()}\n</body>`)
        },
      },
    },
  ],
  css: { postcss: { plugins: [postcssPresetMantine()] } },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // No inline data: the page's policy allows only fonts and scripts of this server.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    rolldownOptions: { checks: { pluginTimings: false } },
    license: { fileName: 'licenses.md' },
  },
  server: {
    port: Number(process.env.CONSOLE_PORT ?? 5173),
    strictPort: true,
    proxy: {
      // Everything below the prefix except the console.
      [`^${basePath}/(?!console/)`]: { target: process.env.ROLLBOOK_URL ?? 'http://127.0.0.1:8000' },
    },
  },
}))
