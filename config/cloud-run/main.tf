# The same as deploy.sh, for Terraform. The service is read from service.yaml, so that it is described once. The values of secrets
# and the image are made outside, because what Terraform makes is in its state:
#
#   terraform apply -target=google_secret_manager_secret.this -target=google_artifact_registry_repository.this
#   (add a version to each secret with gcloud secrets versions add, and build the image as deploy.sh does)
#   terraform apply
#   gcloud run jobs execute token-exchange-migrate --wait

terraform {
  required_version = ">= 1.5"
  required_providers {
    google = {
      source  = "hashicorp/google"
      version = "~> 7.0"
    }
  }
}

variable "project" {
  type        = string
  description = "The id of a project of Firebase."
}

variable "region" {
  type        = string
  description = "A region of Cloud Run and of Firestore, such as europe-west3."
}

variable "image_version" {
  type        = string
  description = "The tag of the image in the repository token-exchange."
}

provider "google" {
  project = var.project
  region  = var.region
}

data "google_project" "this" {
  project_id = var.project
}

locals {
  placeholders = {
    PROJECT = var.project
    NUMBER  = data.google_project.this.number
    REGION  = var.region
    VERSION = var.image_version
  }
  # Terraform has no fold: one replacement after the other.
  in_project = replace(file("${path.module}/service.yaml"), "PROJECT", local.placeholders.PROJECT)
  of_number  = replace(local.in_project, "NUMBER", local.placeholders.NUMBER)
  in_region  = replace(local.of_number, "REGION", local.placeholders.REGION)
  service    = yamldecode(replace(local.in_region, "VERSION", local.placeholders.VERSION))
  template   = local.service.spec.template
  container  = local.template.spec.containers[0]

  ingresses = {
    all                               = "INGRESS_TRAFFIC_ALL"
    internal-and-cloud-load-balancing = "INGRESS_TRAFFIC_INTERNAL_LOAD_BALANCER"
  }
  apis = [
    "artifactregistry", "cloudbuild", "cloudresourcemanager", "cloudscheduler", "firebaserules", "firestore", "iam",
    "iamcredentials", "identitytoolkit", "run", "secretmanager",
  ]
  accounts = ["token-exchange", "token-exchange-build", "token-exchange-migrate", "token-exchange-scheduler"]
  secrets  = ["token-exchange-seal-key", "token-exchange-store-key", "token-exchange-yahoo-secret"]
  # The accounts that read the configuration with its secrets.
  readers = ["token-exchange", "token-exchange-migrate"]
  jobs = {
    token-exchange-migrate = { command = "migrate", account = "token-exchange-migrate", retries = 3 }
    token-exchange-doctor  = { command = "doctor", account = "token-exchange", retries = 0 }
    token-exchange-sweep   = { command = "sweep", account = "token-exchange", retries = 3 }
  }
}

resource "google_project_service" "this" {
  for_each           = toset(local.apis)
  service            = "${each.key}.googleapis.com"
  disable_on_destroy = false
}

resource "google_service_account" "this" {
  for_each   = toset(local.accounts)
  account_id = each.key
  depends_on = [google_project_service.this]
}

resource "google_artifact_registry_repository" "this" {
  repository_id = "token-exchange"
  location      = var.region
  format        = "DOCKER"
  depends_on    = [google_project_service.this]
}

resource "google_project_iam_member" "build" {
  project = var.project
  role    = "roles/cloudbuild.builds.builder"
  member  = google_service_account.this["token-exchange-build"].member
}

resource "google_firestore_database" "this" {
  name                    = "token-exchange"
  location_id             = var.region
  type                    = "FIRESTORE_NATIVE"
  delete_protection_state = "DELETE_PROTECTION_ENABLED"
  depends_on              = [google_project_service.this]
}

resource "google_firebaserules_ruleset" "this" {
  source {
    files {
      name    = "firestore.rules"
      content = file("${path.module}/firestore.rules")
    }
  }
  depends_on = [google_project_service.this]
}

resource "google_firebaserules_release" "this" {
  name         = "cloud.firestore/${google_firestore_database.this.name}"
  ruleset_name = google_firebaserules_ruleset.this.name
  lifecycle {
    replace_triggered_by = [google_firebaserules_ruleset.this]
  }
}

resource "google_project_iam_member" "server" {
  project = var.project
  role    = "roles/datastore.user"
  member  = google_service_account.this["token-exchange"].member
  condition {
    title      = "token-exchange"
    expression = "resource.name==\"projects/${var.project}/databases/${google_firestore_database.this.name}\""
  }
}

resource "google_service_account_iam_member" "signer" {
  service_account_id = google_service_account.this["token-exchange"].name
  role               = "roles/iam.serviceAccountTokenCreator"
  member             = google_service_account.this["token-exchange"].member
}

resource "google_project_iam_member" "migrate" {
  project = var.project
  role    = "roles/datastore.owner"
  member  = google_service_account.this["token-exchange-migrate"].member
}

resource "google_secret_manager_secret" "this" {
  for_each  = toset(local.secrets)
  secret_id = each.key
  replication {
    auto {}
  }
  depends_on = [google_project_service.this]
}

resource "google_secret_manager_secret_iam_member" "this" {
  for_each  = { for pair in setproduct(local.secrets, local.readers) : join(" ", pair) => pair }
  secret_id = google_secret_manager_secret.this[each.value[0]].id
  role      = "roles/secretmanager.secretAccessor"
  member    = google_service_account.this[each.value[1]].member
}

resource "google_cloud_run_v2_service" "this" {
  name                 = local.service.metadata.name
  location             = var.region
  ingress              = local.ingresses[local.service.metadata.annotations["run.googleapis.com/ingress"]]
  invoker_iam_disabled = local.service.metadata.annotations["run.googleapis.com/invoker-iam-disabled"] == "true"

  template {
    service_account                  = local.template.spec.serviceAccountName
    execution_environment            = "EXECUTION_ENVIRONMENT_GEN2"
    timeout                          = "${local.template.spec.timeoutSeconds}s"
    max_instance_request_concurrency = local.template.spec.containerConcurrency

    scaling {
      min_instance_count = tonumber(local.template.metadata.annotations["autoscaling.knative.dev/minScale"])
      max_instance_count = tonumber(local.template.metadata.annotations["autoscaling.knative.dev/maxScale"])
    }

    containers {
      name  = local.container.name
      image = local.container.image
      args  = local.container.args

      ports {
        container_port = local.container.ports[0].containerPort
      }

      resources {
        limits            = local.container.resources.limits
        cpu_idle          = local.template.metadata.annotations["run.googleapis.com/cpu-throttling"] == "true"
        startup_cpu_boost = local.template.metadata.annotations["run.googleapis.com/startup-cpu-boost"] == "true"
      }

      dynamic "env" {
        for_each = local.container.env
        content {
          name  = env.value.name
          value = env.value.value
        }
      }

      startup_probe {
        period_seconds    = local.container.startupProbe.periodSeconds
        timeout_seconds   = local.container.startupProbe.timeoutSeconds
        failure_threshold = local.container.startupProbe.failureThreshold
        http_get {
          path = local.container.startupProbe.httpGet.path
          port = local.container.startupProbe.httpGet.port
        }
      }

      liveness_probe {
        period_seconds  = local.container.livenessProbe.periodSeconds
        timeout_seconds = local.container.livenessProbe.timeoutSeconds
        http_get {
          path = local.container.livenessProbe.httpGet.path
          port = local.container.livenessProbe.httpGet.port
        }
      }
    }
  }

  # The server reads its secrets and its database when it starts.
  depends_on = [
    google_project_iam_member.server, google_service_account_iam_member.signer, google_secret_manager_secret_iam_member.this,
    google_firebaserules_release.this,
  ]
}

resource "google_cloud_run_v2_job" "this" {
  for_each = local.jobs
  name     = each.key
  location = var.region

  template {
    template {
      service_account = google_service_account.this[each.value.account].email
      max_retries     = each.value.retries

      containers {
        image = local.container.image
        args  = [each.value.command]

        dynamic "env" {
          for_each = local.container.env
          content {
            name  = env.value.name
            value = env.value.value
          }
        }
      }
    }
  }

  depends_on = [google_project_iam_member.migrate, google_secret_manager_secret_iam_member.this]
}

resource "google_cloud_run_v2_job_iam_member" "scheduler" {
  name     = google_cloud_run_v2_job.this["token-exchange-sweep"].name
  location = var.region
  role     = "roles/run.invoker"
  member   = google_service_account.this["token-exchange-scheduler"].member
}

resource "google_cloud_scheduler_job" "sweep" {
  name     = "token-exchange-sweep"
  region   = var.region
  schedule = "17 3 * * *"

  http_target {
    http_method = "POST"
    uri         = "https://run.googleapis.com/v2/${google_cloud_run_v2_job.this["token-exchange-sweep"].id}:run"
    oauth_token {
      service_account_email = google_service_account.this["token-exchange-scheduler"].email
    }
  }
}
