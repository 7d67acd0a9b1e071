from urllib.parse import unquote

from fastapi import Depends, FastAPI, HTTPException, Request


def caller(request: Request) -> str:
    user = request.headers.get("remote-user") or request.headers.get("remote-client")
    if not user:
        raise HTTPException(401)
    return unquote(user)


app = FastAPI(dependencies=[Depends(caller)])


@app.get("/whoami")
def whoami(request: Request, user: str = Depends(caller)):
    return {"user": user, "id": request.headers.get("remote-user-id", "")}


@app.get("/reports")
def reports():
    return ["Apples picked"]
