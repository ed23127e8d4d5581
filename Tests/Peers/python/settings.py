"""Settings of gunicorn for the Python peer."""

import os

bind = f"127.0.0.1:{os.environ['PORT']}"
workers = int(os.environ.get("WORKERS", "2"))
# Of the workers that keep connections open (gthread, gevent, this one) it needs the least processor time.
worker_class = "gunicorn.workers.ggevent.GeventPyWSGIWorker"
worker_connections = 4096
backlog = 2048
keepalive = 60
loglevel = "error"
accesslog = None
graceful_timeout = 1
# A file system in memory, so that a worker's sign of life costs no write to the disk.
worker_tmp_dir = "/dev/shm"
