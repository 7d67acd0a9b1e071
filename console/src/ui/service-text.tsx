/** A sentence of the service that the console has no words for. It is in English. */
export function ServiceText({ children }: { children: string }) {
  return (
    <span lang="en" dir="auto">
      {children}
    </span>
  )
}
