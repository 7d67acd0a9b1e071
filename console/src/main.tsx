import './fonts.css'
import './mantine.css'
import './app.css'
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
// Asked for by the library that keeps the page from scrolling behind a dialog.
Object.assign(globalThis, { __webpack_nonce__: nonce })

reloadOnMissingChunk()
// Not awaited by the module itself: the code of the page imports from the file that this one stands in.
start().catch((error) => {
  // Before there are texts and components; a file that is missing has loaded the page anew already.
  const message = document.createElement('p')
  message.className = 'boot-message'
  message.setAttribute('role', 'alert')
  message.textContent = 'The console could not be loaded. Check the connection, and load this page again.'
  document.getElementById('root')?.replaceChildren(message)
  throw error
})

async function start(): Promise<void> {
  // All at once: the texts, who is signed in, and the code of the page.
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
