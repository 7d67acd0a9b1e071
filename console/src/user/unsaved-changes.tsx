import { useBlocker } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'

const LeaveDialog = lazy(() => import('./leave-dialog.tsx'))

/** Asks before what was typed is lost: on the way to another page of the console, or out of it. */
export function UnsavedChanges({ isDirty }: { isDirty: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  })
  if (!isDirty) return null
  return (
    <Suspense fallback={null}>
      <LeaveDialog isOpen={status === 'blocked'} onStay={() => reset?.()} onLeave={() => proceed?.()} />
    </Suspense>
  )
}
