import './fonts.css'
import './mantine.css'
import './colors.css'
import './app.css'
import './environment-tag.css'
import './forced-colors.css'
import { i18n } from '@lingui/core'
import { I18nProvider } from '@lingui/react'
import { DirectionProvider, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/client.ts'
import { meQuery } from './api/me.ts'
import { activateLanguage } from './locales/i18n.ts'
import { router } from './router.tsx'
import { reloadOnMissingChunk } from './shell/reload.ts'
import { theme } from './theme.ts'

const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? ''
// The library that blocks scrolling behind a dialog reads this.
Object.assign(globalThis, { __webpack_nonce__: nonce })

reloadOnMissingChunk()
// Not a top-level await: the code of the page imports from this file.
start().catch((error) => {
  // Texts and components are not there yet. A missing file has reloaded the page already.
  const message = document.createElement('p')
  message.className = 'boot-message'
  message.setAttribute('role', 'alert')
  message.textContent = 'The console could not be loaded. Check the connection, and load this page again.'
  document.getElementById('root')?.replaceChildren(message)
  throw error
})

async function start(): Promise<void> {
  // In parallel: the texts, the signed-in user, and the code of the page.
  if (!location.pathname.endsWith('/setup')) void queryClient.prefetchQuery(meQuery)
  await Promise.all([activateLanguage(), router.load()])
  const root = document.getElementById('root')
  if (root === null) throw new Error('The page has no #root.')
  createRoot(root).render(
    <StrictMode>
      <I18nProvider i18n={i18n}>
        <DirectionProvider>
          <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
            <QueryClientProvider client={queryClient}>
              <RouterProvider router={router} />
            </QueryClientProvider>
          </MantineProvider>
        </DirectionProvider>
      </I18nProvider>
    </StrictMode>,
  )
}
