import { Page } from '../ui/page.tsx'

export default function PageInTheMaking() {
  return (
    <Page title="In the making">
      <p>…</p>
    </Page>
  )
}
